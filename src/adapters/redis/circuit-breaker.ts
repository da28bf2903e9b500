/** A single failure may be a coincidence. */
const FAILURES_TO_OPEN = 2;
/** After this many failed probes the connection is reopened, whatever the state of its socket: the address may lead to another server. */
const PROBES_TO_RECONNECT = 3;

/** Open while a server counts as unavailable. */
export class CircuitBreaker {
  #failuresInARow = 0;
  #failedProbes = 0;
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
    this.#failedProbes++;
    if (this.#failedProbes < PROBES_TO_RECONNECT && !isRefusal) return false;
    this.#failedProbes = 0;
    return true;
  }

  close(): void {
    this.#isOpen = false;
    this.#failuresInARow = 0;
    this.#failedProbes = 0;
  }
}
