import { noteCapture } from '../../adapters/postgres/capture-record.js';
import type { WorkerConnection } from '../../adapters/postgres/worker-connection.js';
import type { Log } from '../../domain/ports/log.js';
import type { DashboardConnection } from '../dashboards/dashboard-engine.js';

/** Has everything read anew where the change capture was not whole for a while, or may not have been. For the worker that leads. */
export class CaptureWatch {
  constructor(
    private readonly dashboard: Pick<DashboardConnection, 'captureState'>,
    private readonly readTables: WorkerConnection['database'],
    private readonly log: Log,
  ) {}

  async run(epoch: number): Promise<void> {
    const state = await this.dashboard.captureState();
    const change = await noteCapture(this.readTables, epoch, state);
    if (change.kind === 'broken') {
      const { broken } = state;
      this.log.error('change capture: not whole, so that changes are missed: run `npm run migrate`', {
        broken,
      });
    }
    if (change.kind === 'mended') {
      const { changed } = change;
      this.log.warn('change capture: was changed or mended: everything is read anew', { changed });
    }
  }
}
