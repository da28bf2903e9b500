import type { GenerationBoard } from '../ports/generation-board.js';
import type { GenerationHistory } from '../ports/generation-history.js';

const PAGE = 500;
/** Generations count microseconds. A transaction may commit this long after it took its generation. */
const LATE_COMMIT = 60 * 1_000_000;

/**
 * Raises on the board what lags behind the read tables: what was not published, since the publisher died or the board was away, and
 * what the board lost.
 */
export class MendBoard {
  #from = 0;
  #starts = 0;

  constructor(
    private readonly history: GenerationHistory,
    private readonly board: GenerationBoard,
  ) {}

  /** Publishes what was raised lately; at first, and after `startOver`, all there is. True if the board is good then. */
  async run(): Promise<boolean> {
    const start = this.#starts;
    let above = this.#from;
    for (;;) {
      const raised = await this.history.above(above, PAGE);
      if (!(await this.board.publish(raised))) return false;
      const highest = raised.at(-1)?.generation;
      if (highest === undefined) break;
      above = highest;
    }
    // Told to start over meanwhile: then this run does not count.
    if (this.#starts !== start) return false;
    this.#from = Math.max(this.#from, above - LATE_COMMIT);
    return true;
  }

  /** For a board that may have lost everything. */
  startOver(): void {
    this.#from = 0;
    this.#starts++;
  }
}
