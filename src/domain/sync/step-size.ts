const MOST_HALVINGS = 8;

/**
 * How much a step takes on. One that is broken off, having taken longer than a step may, has no chance to say so: each counts as failed
 * until it is over. What is tried next is half as much, also by what the worker is made anew with.
 */
export class StepSize {
  #halvings = 0;
  #next = 0;

  of(most: number): number {
    return Math.max(1, most >> this.#halvings);
  }

  async during<Result>(step: () => Promise<Result>): Promise<Result> {
    const halvings = this.#next;
    this.#halvings = halvings;
    this.#next = Math.min(halvings + 1, MOST_HALVINGS);
    const result = await step();
    this.#next = Math.max(0, halvings - 1);
    return result;
  }
}
