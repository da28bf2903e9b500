import type { ChangeFeed } from '../ports/change-feed.js';
import type { WorkList } from '../ports/work-list.js';
import type { WorkAttempt } from './work-attempt.js';

const ROWS = 100;

/**
 * Walks everything, without haste and without end. Where all changes are applied, the read model and the source agree: what differs
 * then is a bug, and is mended. Rows that were set aside get another try.
 */
export class CheckReadModel {
  constructor(
    private readonly list: WorkList,
    private readonly feed: ChangeFeed,
    private readonly attempt: WorkAttempt,
  ) {}

  /** One piece, unless something is still to be applied. Answers how many rows had to be mended. */
  async run(epoch: number): Promise<number> {
    const item = await this.list.next(['check']);
    if (item === null) return 0;
    // Rows and changes of one moment: a change that commits after it is in neither.
    return this.attempt.run(
      epoch,
      item,
      (use) => this.feed.look(1, async (changes, source) => (changes.length > 0 ? 0 : use(source))),
      ROWS,
    );
  }
}
