import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import type { SyncSession } from '../../../src/programs/sync/sync-session.js';
import { RecordingLog } from '../programs/recording-log.js';
import { openSession } from './open-session.js';
import type { SyncedDatabases } from './synced-databases.js';

/** Several times as many as any test needs. */
const MAX_STEPS = 1_000;

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
    const epoch = await session.ports.leadership.claim(null);
    if (epoch === null) throw new Error('Another worker leads');
    await session.recognize(epoch);
    return new SettledSync(session, epoch);
  }

  /** As in every ten seconds. */
  checkCapture(): Promise<void> {
    return this.session.checkCapture(this.epoch);
  }

  /** Returns the number of steps. */
  async settle(): Promise<number> {
    let steps = 0;
    for (; await this.session.worker.step(this.epoch); steps++)
      if (steps === MAX_STEPS) throw new Error('The worker does not come to an end');
    return steps;
  }

  close(): Promise<void> {
    return this.session.close();
  }
}
