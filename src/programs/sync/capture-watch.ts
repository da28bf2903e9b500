import type { DashboardConnection } from '../../composition/dashboard-connection.js';
import type { Log } from '../../domain/ports/log.js';
import type { SyncNotes } from '../../domain/ports/sync-notes.js';

/** The leader's check of the change capture. Requests a rebuild if the capture was incomplete for a while, or may have been. */
export class CaptureWatch {
  constructor(
    private readonly dashboard: Pick<DashboardConnection, 'captureState'>,
    private readonly notes: Pick<SyncNotes, 'noteCapture'>,
    private readonly log: Log,
  ) {}

  async run(epoch: number): Promise<void> {
    const state = await this.dashboard.captureState();
    const change = await this.notes.noteCapture(epoch, state);
    if (change.kind === 'broken') {
      const { broken } = state;
      this.log.error(
        'change capture is broken: changes are missed, or cannot be read: run `npm run migrate`',
        {
          broken,
        },
      );
    }
    if (change.kind === 'repaired') {
      const { changed } = change;
      this.log.warn('change capture was changed or repaired: everything is read again', { changed });
    }
  }
}
