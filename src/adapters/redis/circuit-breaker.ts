/** A single failure may be coincidence. */
const FAILURES_TO_OPEN = 2;
/** A server that owes replies for this long is gone, whatever the state of its socket. Its address may lead to another server by now. */
const PROBES_TO_LEAVE = 3;

/** Open while a server counts as away. */
export class CircuitBreaker {
  #failuresInARow = 0;
  #probesInVain = 0;
  #isOpen = false;

  /** `probeName` is a name on this server: one for which a command failed there. */
  constructor(readonly probeName: string) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  succeed(): void {
    this.#failuresInARow = 0;
  }

  /** Whether this failure opens the circuit breaker. */
  fail(isRefusal: boolean): boolean {
    this.#failuresInARow++;
    if (this.#isOpen || (this.#failuresInARow < FAILURES_TO_OPEN && !isRefusal)) return false;
    this.#isOpen = true;
    return true;
  }

  /** Whether to close the connection: the server refuses, or does not answer. */
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
