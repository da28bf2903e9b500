import type { Scope } from '../model/sync-work.js';
import type { ContentSource } from '../ports/content-source.js';
import type { WorkList } from '../ports/work-list.js';
import type { WorkPiece } from './work-piece.js';

const ROWS = 250;
const LANES: readonly (readonly Scope['of'][])[] = [['categories', 'tags', 'websites'], ['everything']];

/** Works the list off. What depends on some rows and what reads everything take turns: neither waits for the end of the other. */
export class WorkOff {
  #turn = 0;

  constructor(
    private readonly list: WorkList,
    private readonly source: ContentSource,
    private readonly piece: WorkPiece,
  ) {}

  /** One piece. False: there is no work. */
  async run(epoch: number): Promise<boolean> {
    for (let tries = 0; tries < LANES.length; tries++) {
      const lane = LANES[this.#turn++ % LANES.length] ?? [];
      const item = await this.list.next(lane);
      if (item === null) continue;
      await this.piece.run(epoch, item, this.source, ROWS);
      return true;
    }
    return false;
  }
}
