import type { ChangeFeed } from '../ports/change-feed.js';
import type { JobQueue } from '../ports/job-queue.js';
import type { JobAttempt, LendSource } from './job-attempt.js';
import type { Pace } from './pace.js';
import { StepSize } from './step-size.js';
import { UnsettledRows, WIDE_KINDS } from './unsettled-rows.js';

const ROWS = 100;

/**
 * Walks everything, without haste and without end, also where changes never pause. The read model and the source agree on every row for
 * which nothing waits: what differs then is a bug, and is mended. Rows that were quarantined get another try.
 */
export class ReconcileReadModel {
  constructor(
    private readonly list: JobQueue,
    private readonly feed: ChangeFeed,
    private readonly attempt: JobAttempt,
    private readonly pace: Pace,
    private readonly size = new StepSize(),
  ) {}

  /** One piece, unless nobody can say yet what differs by right. Answers how many rows had to be mended. */
  async run(epoch: number): Promise<number> {
    const item = await this.list.next(['apiKeys', 'everything'], ['check']);
    if (item?.scope.of !== 'check') return 0;
    const work = await this.list.unfinished([...WIDE_KINDS, 'rows']);
    // Rows and changes of one moment: a change that commits after it is in neither.
    const lend: LendSource = (use) =>
      this.feed.survey(async (changes, source) => {
        if (changes === null || changes.some(({ key }) => key === null)) return 0;
        return use(source, new UnsettledRows(changes, work, source));
      });
    const sort = `check ${item.progress?.stage ?? 0}`;
    return this.pace.during(sort, this.size.of(ROWS), (size) => this.attempt.run(epoch, item, lend, size));
  }
}
