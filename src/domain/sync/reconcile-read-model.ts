import type { ChangeFeed } from '../ports/change-feed.js';
import type { JobQueue } from '../ports/job-queue.js';
import type { JobAttempt, WithSource } from './job-attempt.js';
import { PendingRows, WIDE_KINDS } from './pending-rows.js';

const ROWS = 100;

/**
 * Reconciles all rows slowly and repeatedly. A difference of a settled row is a bug, and is
 * repaired.
 */
export class ReconcileReadModel {
  constructor(
    private readonly jobs: JobQueue,
    private readonly feed: ChangeFeed,
    private readonly attempt: JobAttempt,
  ) {}

  /** Runs one step, unless differences may be legitimate. Returns the number of repaired rows. */
  async run(epoch: number, targetMs: number): Promise<number> {
    const job = await this.jobs.next(['apiKeys', 'everything'], ['check']);
    if (job?.scope.of !== 'check') return 0;
    const work = await this.jobs.unfinished([...WIDE_KINDS, 'rows']);
    // Rows and changes from one snapshot: neither contains a later commit.
    const withSource: WithSource = (use) =>
      this.feed.survey(async (changes, source) => {
        if (changes === null || changes.some(({ key }) => key === null)) return 0;
        return use(source, new PendingRows(changes, work, source));
      });
    return this.attempt.run(epoch, job, withSource, ROWS, targetMs);
  }
}
