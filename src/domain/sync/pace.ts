import type { Clock } from '../ports/clock.js';

/** An edit that arrives during a step waits until the step ends. */
const MAX_STEP_MS = 30;
/**
 * While many changes wait, a step may take 2³ times as long: an edit waits for seconds anyway, and a longer step delays a revocation by no
 * more than two batches do.
 */
const FEWER_HALVINGS_IF_MANY_WAIT = 3;
/** After an edit, more edits are expected for this time. */
const EXPECTED_FOR_MS = 10_000;
const MAX_HALVINGS = 4;

/**
 * The size of job steps. While edits arrive, a step takes no longer than an edit should wait, estimated from the last step of its kind.
 * Otherwise it has the maximum size, because a larger step costs less per row.
 */
export class Pace {
  #editedAt = Number.NEGATIVE_INFINITY;
  #areManyWaiting = false;
  /** How often the maximum size has to be halved for a step of `MAX_STEP_MS`. */
  readonly #halvings = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  changesFound(areManyWaiting: boolean): void {
    this.#editedAt = this.clock.now();
    this.#areManyWaiting = areManyWaiting;
  }

  /** More edits may still be expected, but none waits. */
  noChangeFound(): void {
    this.#areManyWaiting = false;
  }

  async during<Result>(
    stepKind: string,
    maxSize: number,
    step: (size: number) => Promise<Result>,
  ): Promise<Result> {
    const begin = this.clock.now();
    const isExpected = begin - this.#editedAt < EXPECTED_FOR_MS;
    const fewer = this.#areManyWaiting ? FEWER_HALVINGS_IF_MANY_WAIT : 0;
    const estimated = isExpected ? (this.#halvings.get(stepKind) ?? 0) : 0;
    const halvings = Math.min(Math.max(0, estimated - fewer), MAX_HALVINGS);
    const result = await step(Math.max(1, maxSize >> halvings));
    const excess = Math.log2((this.clock.now() - begin) / MAX_STEP_MS);
    // Doubling requires some margin. Otherwise the size would change after each step.
    const more = excess > 0 ? Math.ceil(excess) : excess < -1.5 ? -1 : 0;
    this.#halvings.set(stepKind, Math.max(0, halvings + more));
    return result;
  }
}
