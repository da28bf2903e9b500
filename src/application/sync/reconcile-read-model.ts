import type { ChangeFeed } from '../../domain/ports/dashboard/change-feed.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import type { JobAttempt } from './job-attempt.js';
import { SCOPES_WITH_END } from './job-stages.js';
import type { UpdateReadModel } from './update-read-model.js';

const ROWS = 100;

/**
 * Reconciles all rows slowly and repeatedly, while no change and no other job waits. A difference
 * then is a bug, and is repaired.
 */
export class ReconcileReadModel {
  constructor(
    private readonly jobs: JobQueue,
    private readonly feed: ChangeFeed,
    private readonly source: ContentSource,
    private readonly jobAttempt: JobAttempt,
    private readonly update: UpdateReadModel,
  ) {}

  /** Runs one step, unless differences may be legitimate. Returns the number of repaired rows. */
  async step(epoch: number, targetMs: number): Promise<number> {
    if ((await this.jobs.unfinished(SCOPES_WITH_END)).length > 0) return 0;
    if ((await this.jobs.unfinished(['reconcile'])).length === 0)
      await this.update.write(epoch, { slices: [], jobs: [{ kind: 'add', scope: { kind: 'reconcile' } }] });
    const job = await this.jobs.next(['reconcile']);
    if (job === null) return 0;
    // After the rows are read: what was committed before that is queued, or was applied.
    const isCurrent = () => this.feed.read(1, async (changes) => changes.length === 0);
    return this.jobAttempt.attempt(epoch, job, this.source, ROWS, targetMs, isCurrent);
  }
}
