import { type CaptureFunction, captureFunctionIn } from '../../adapters/dashboard/capture-function.js';
import { captureState } from '../../adapters/dashboard/capture-state.js';
import { noteCapture } from '../../adapters/postgres/capture-record.js';
import type { WorkerConnection } from '../../adapters/postgres/worker-connection.js';
import type { Log } from '../../domain/ports/log.js';
import { CAPTURE_MIGRATIONS } from '../project-folders.js';

type Database = WorkerConnection['database'];

let expected: Promise<CaptureFunction> | null = null;

/** What is broken in the change capture of a dashboard's database. */
export async function brokenCapture(dashboard: Database): Promise<readonly string[]> {
  return (await stateOf(dashboard)).broken;
}

/** Has everything read anew where the change capture was not whole for a while, or may not have been. For the worker that leads. */
export class CaptureWatch {
  constructor(
    private readonly dashboard: Database,
    private readonly readTables: Database,
    private readonly log: Log,
  ) {}

  async run(epoch: number): Promise<void> {
    const state = await stateOf(this.dashboard);
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

async function stateOf(dashboard: Database) {
  expected ??= captureFunctionIn(CAPTURE_MIGRATIONS.directory);
  return captureState(dashboard, await expected);
}
