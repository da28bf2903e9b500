import type { Clock } from '../ports/clock.js';

/** Whoever edits while a piece is under way waits for its end. */
const LONGEST_PIECE_MS = 30;
/** Where somebody edits, more edits are to be expected. */
const EXPECTED_FOR_MS = 10_000;
const MOST_HALVINGS = 4;

/**
 * How large the pieces of longer work are. While edits come, a piece takes no longer than an edit should wait, by what the last one of its
 * sort took; else it is as large as it may be, since many rows at once cost less for each.
 */
export class Pace {
  #editedAt = Number.NEGATIVE_INFINITY;
  readonly #halvings = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** Changes were found. */
  edited(): void {
    this.#editedAt = this.clock.now();
  }

  async during<Result>(
    sort: string,
    most: number,
    piece: (size: number) => Promise<Result>,
  ): Promise<Result> {
    const begin = this.clock.now();
    const isExpected = begin - this.#editedAt < EXPECTED_FOR_MS;
    const halvings = isExpected ? (this.#halvings.get(sort) ?? 0) : 0;
    const result = await piece(Math.max(1, most >> halvings));
    const excess = Math.log2((this.clock.now() - begin) / LONGEST_PIECE_MS);
    // One that is twice as large has to fit with some room, or the size would change each time.
    const more = excess > 0 ? Math.ceil(excess) : excess < -1.5 ? -1 : 0;
    this.#halvings.set(sort, Math.min(Math.max(0, halvings + more), MOST_HALVINGS));
    return result;
  }
}
