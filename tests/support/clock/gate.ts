const LIMIT_MS = 20_000;

/** A point in a test at which a caller waits until the test lets it continue. */
export class Gate<Value = void> {
  #arrive: () => void = () => {};
  #open: (value: Value) => void = () => {};
  #fail: (error: Error) => void = () => {};
  readonly #arrived = new Promise<void>((resolve) => {
    this.#arrive = resolve;
  });
  readonly #opened = new Promise<Value>((resolve, reject) => {
    this.#open = resolve;
    this.#fail = reject;
  });

  /** Resolves when a caller waits. `caller` is named by the failure of a test in which none comes. */
  async arrivalOf(caller: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const failure = new Error(
        `The test waits for ${caller}, which has not come within ${LIMIT_MS / 1_000} seconds`,
      );
      timer = setTimeout(reject, LIMIT_MS, failure).unref();
    });
    await Promise.race([this.#arrived, late]).finally(() => clearTimeout(timer));
  }

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
