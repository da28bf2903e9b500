const MAX_HALVINGS = 8;

/**
 * The size of a step. A step that exceeds its time limit is aborted and cannot report it, so each step counts as failed until it ends. The
 * next attempt is half as large, also after the worker was created again. Each kind of step has its own size: otherwise, the successes of
 * one kind would keep the other from shrinking.
 */
export class StepSize {
  #halvings = 0;
  readonly #next = new Map<string, number>();

  of(maxSize: number): number {
    return Math.max(1, maxSize >> this.#halvings);
  }

  async during<Result>(stepKind: string, step: () => Promise<Result>): Promise<Result> {
    const halvings = this.#next.get(stepKind) ?? 0;
    this.#halvings = halvings;
    this.#next.set(stepKind, Math.min(halvings + 1, MAX_HALVINGS));
    const result = await step();
    this.#next.set(stepKind, Math.max(0, halvings - 1));
    return result;
  }
}
