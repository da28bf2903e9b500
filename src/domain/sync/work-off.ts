import type { Scope, WorkItem } from '../model/sync-work.js';
import type { ContentSource } from '../ports/content-source.js';
import type { WorkList } from '../ports/work-list.js';
import { StepSize } from './step-size.js';
import type { WorkAttempt } from './work-attempt.js';

const ROWS = 500;
const LANES: readonly (readonly Scope['of'][])[] = [
  ['generations'],
  ['categories', 'tags', 'websites'],
  ['everything'],
  ['rows'],
];

/**
 * Works the list off: API keys before all else. Generations, what depends on some rows, what reads everything and single rows take turns: none
 * waits for the end of another.
 */
export class WorkOff {
  #turn = 0;

  constructor(
    private readonly list: WorkList,
    private readonly source: ContentSource,
    private readonly attempt: WorkAttempt,
    private readonly size = new StepSize(),
  ) {}

  /** One piece. False: there is no work. */
  async run(epoch: number): Promise<boolean> {
    const item = await this.#next();
    if (item === null) return false;
    await this.attempt.run(epoch, item, (use) => use(this.source), this.size.of(ROWS));
    return true;
  }

  async #next(): Promise<WorkItem | null> {
    let item = await this.list.next(['apiKeys']);
    for (let tries = 0; item === null && tries < LANES.length; tries++) {
      item = await this.list.next(LANES[this.#turn++ % LANES.length] ?? []);
    }
    return item;
  }
}
