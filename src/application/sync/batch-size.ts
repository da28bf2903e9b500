/**
 * A slow server would otherwise be asked for single rows, each of which costs as much as a step.
 */
const MAX_HALVINGS_FOR_TIME = 4;

/** A step that has begun. */
export interface Batch {
  readonly rows: number;
  /** Whether a row is searched that makes steps fail. */
  readonly isSearch: boolean;
  succeeded(tookMs: number): void;
  /** `rows`: as many as the step had, if there were fewer than it may have. */
  failed(rows: number): void;
  /** The next one has one row, and after its success as many as fit. */
  tryOne(): void;
}

interface Size {
  readonly limit: number;
  readonly msPerRow: number;
  /** The rows that are left of the last step that failed. */
  readonly suspects: number;
  /** After a success. Null: up to twice as many. */
  readonly next: number | null;
}

/**
 * How many rows a step may have: as many as fit into a target time, half as many after a failure,
 * up to twice as many after a success. A step that exceeds its time limit is aborted and cannot
 * report it, so each counts as failed until it ends, also in the next session. A row that always
 * fails is among those of the failed step, of which each next one has half: so it is alone soon.
 */
export class BatchSize {
  readonly #sizes = new Map<string, Size>();

  /**
   * Each kind of step has its own size: otherwise, the successes of one kind would keep the other
   * from shrinking.
   */
  begin(stepKind: string, max: number, targetMs: number): Batch {
    const start = { limit: max, msPerRow: 0, suspects: 0, next: null };
    const { limit, msPerRow, suspects, next } = this.#sizes.get(stepKind) ?? start;
    let rows = limit;
    while (rows * msPerRow > targetMs && rows > max >> MAX_HALVINGS_FOR_TIME) rows >>= 1;
    const failed = (count: number) =>
      this.#sizes.set(stepKind, { limit: Math.max(1, count >> 1), msPerRow, suspects: count, next });
    failed(rows);
    return {
      rows,
      isSearch: suspects > 0,
      failed,
      tryOne: () => this.#sizes.set(stepKind, { limit: 1, msPerRow: 0, suspects: 0, next: max }),
      succeeded: (tookMs) => {
        const left = Math.max(0, suspects - rows);
        const grown = left > 0 ? Math.ceil(left / 2) : (next ?? rows * 2);
        this.#sizes.set(stepKind, {
          limit: Math.min(grown, max),
          msPerRow: next === null ? tookMs / rows : 0,
          suspects: left,
          next: null,
        });
      },
    };
  }
}
