import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import type { SyncSession } from '../../../src/programs/sync/sync-session.js';
import { RecordingLog } from '../programs/recording-log.js';
import { openSession } from './open-session.js';
import type { SyncedDatabases } from './synced-databases.js';

/**
 * The sync as composed for production. It works on request until it has applied every committed change, and does not
 * reconcile.
 */
export class SettledSync {
  private constructor(
    private readonly session: SyncSession,
    private readonly epoch: number,
  ) {}

  static async open(databases: SyncedDatabases): Promise<SettledSync> {
    const session = openSession(databases, new MemoryMetrics(), new RecordingLog());
    const epoch = await session.ports.leadership.claim();
    if (epoch === null) throw new Error('Another worker leads');
    await session.recognize(epoch);
    return new SettledSync(session, epoch);
  }

  async settle(): Promise<void> {
    while (await this.session.worker.step(this.epoch));
  }

  close(): Promise<void> {
    return this.session.close();
  }
}
