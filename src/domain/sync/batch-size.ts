/**
 * A slow server would otherwise be asked for single rows, of which each costs as much as a step.
 */
const MAX_HALVINGS_FOR_TIME = 4;

/** A step that has begun. */
export interface Batch {
  readonly rows: number;
  succeeded(tookMs: number): void;
}

interface Size {
  readonly limit: number;
  readonly msPerRow: number;
}

/**
 * How many rows a step may have: as many as fit into a target time, half as many after a failure,
 * up to twice as many after a success. A step that exceeds its time limit is aborted and cannot
 * report it, so each counts as failed until it ends, also in the next session.
 */
export class BatchSize {
  readonly #sizes = new Map<string, Size>();

  /**
   * Each kind of step has its own size: otherwise, the successes of one kind would keep the other
   * from shrinking.
   */
  begin(stepKind: string, max: number, targetMs: number): Batch {
    const { limit, msPerRow } = this.#sizes.get(stepKind) ?? { limit: max, msPerRow: 0 };
    let rows = limit;
    while (rows * msPerRow > targetMs && rows > max >> MAX_HALVINGS_FOR_TIME) rows >>= 1;
    this.#sizes.set(stepKind, { limit: Math.max(1, rows >> 1), msPerRow });
    return {
      rows,
      succeeded: (tookMs) =>
        this.#sizes.set(stepKind, { limit: Math.min(rows * 2, max), msPerRow: tookMs / rows }),
    };
  }
}
