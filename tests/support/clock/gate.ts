/** A point in a test at which a caller waits until the test lets it continue. */
export class Gate<Value = void> {
  #arrive: () => void = () => {};
  #open: (value: Value) => void = () => {};
  #fail: (error: Error) => void = () => {};
  /** Resolves when a caller waits. */
  readonly arrived = new Promise<void>((resolve) => {
    this.#arrive = resolve;
  });
  readonly #opened = new Promise<Value>((resolve, reject) => {
    this.#open = resolve;
    this.#fail = reject;
  });

  wait(): Promise<Value> {
    this.#arrive();
    return this.#opened;
  }

  open(value: Value): void {
    this.#open(value);
  }

  fail(error: Error): void {
    this.#fail(error);
  }
}
