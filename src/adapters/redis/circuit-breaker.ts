/** One may be bad luck. */
const FAILURES_TO_OPEN = 2;
/** A server that owes replies for so long is gone, whatever its socket says; its address may lead to another one by now. */
const PROBES_TO_LEAVE = 3;

/** Open while a server counts as away. */
export class CircuitBreaker {
  #failuresInARow = 0;
  #probesInVain = 0;
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

  /** Whether the connection is to be left: the server refuses, or says nothing. */
  failProbe(isRefusal: boolean): boolean {
    this.#probesInVain++;
    if (this.#probesInVain < PROBES_TO_LEAVE && !isRefusal) return false;
    this.#probesInVain = 0;
    return true;
  }

  close(): void {
    this.#isOpen = false;
    this.#failuresInARow = 0;
    this.#probesInVain = 0;
  }
}
