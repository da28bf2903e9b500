import { DomainError } from '../../domain/errors.js';

/** What differs between the servers that a circuit breaker protects. */
export interface ProbedServer {
  readonly name: string;
  /** Rejects if the server is unavailable. Ends within a time limit. */
  readonly probe: () => Promise<unknown>;
  /** Between two probes of an unavailable server. */
  readonly pause: () => Promise<unknown>;
  readonly opened: (error: unknown) => void;
  readonly closed: () => void;
}

/** A server that is needed does not answer. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';

  constructor(server: string, cause?: unknown) {
    const reason = cause instanceof Error ? `: ${cause.message}` : '';
    super(`Unavailable: ${server}${reason}`, { cause });
  }
}

/**
 * Open while a server counts as unavailable. A failed call may be at fault itself, so the probe
 * after it decides. While it is open only probes are sent, so no caller waits.
 */
export class CircuitBreaker {
  #isOpen = false;
  /** Of the last probe that failed. */
  #failure: unknown = null;
  #isStopped = false;
  #verdict: Promise<void> | null = null;

  constructor(private readonly server: ProbedServer) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** A failed call waits for the verdict: `Unavailable`, or the call's own error. */
  async attempt<Result>(call: () => Promise<Result>): Promise<Result> {
    if (this.#isOpen) throw new Unavailable(this.server.name, this.#failure);
    try {
      return await call();
    } catch (error) {
      if (error instanceof DomainError) throw error;
      await this.fail();
      throw this.#isOpen ? new Unavailable(this.server.name, error) : error;
    }
  }

  /** A call has failed. Resolves when it is clear whether the server is unavailable. */
  async fail(): Promise<void> {
    if (this.#isOpen) return;
    this.#verdict ??= this.#judge().finally(() => {
      this.#verdict = null;
    });
    await this.#verdict;
  }

  /** There are no more probes. */
  stop(): void {
    this.#isStopped = true;
  }

  async #judge(): Promise<void> {
    await this.#probe();
    if (!this.#isOpen) return;
    this.server.opened(this.#failure);
    void this.#closeWhenAvailable();
  }

  async #closeWhenAvailable(): Promise<void> {
    while (this.#isOpen) {
      await this.server.pause();
      if (this.#isStopped) return;
      await this.#probe();
    }
    this.server.closed();
  }

  /** Opens or closes in the turn of the reply, so that no call comes in between. */
  async #probe(): Promise<void> {
    try {
      await this.server.probe();
      this.#isOpen = false;
    } catch (error) {
      this.#failure = error;
      this.#isOpen = true;
    }
  }
}
