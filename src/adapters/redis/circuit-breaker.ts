/** One may be bad luck. */
const FAILURES_TO_OPEN = 2;

/** Open while a server counts as away. */
export class CircuitBreaker {
  #failuresInARow = 0;
  #isOpen = false;

  /** `probeName` is a name that belongs to the server: of what failed there. */
  constructor(readonly probeName: string) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  succeed(): void {
    this.#failuresInARow = 0;
  }

  /** Whether this failure is the one that opens it. */
  fail(isRefusal: boolean): boolean {
    this.#failuresInARow++;
    if (this.#isOpen || (this.#failuresInARow < FAILURES_TO_OPEN && !isRefusal)) return false;
    this.#isOpen = true;
    return true;
  }

  close(): void {
    this.#isOpen = false;
    this.#failuresInARow = 0;
  }
}
