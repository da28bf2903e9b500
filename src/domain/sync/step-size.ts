const MAX_HALVINGS = 8;

/**
 * The size of a step. A step that exceeds its time limit is aborted and cannot report it, so each step counts as failed until it ends. The
 * next attempt is half as large, also after the worker was created again.
 */
export class StepSize {
  #halvings = 0;
  #next = 0;

  of(maxSize: number): number {
    return Math.max(1, maxSize >> this.#halvings);
  }

  async during<Result>(step: () => Promise<Result>): Promise<Result> {
    const halvings = this.#next;
    this.#halvings = halvings;
    this.#next = Math.min(halvings + 1, MAX_HALVINGS);
    const result = await step();
    this.#next = Math.max(0, halvings - 1);
    return result;
  }
}
