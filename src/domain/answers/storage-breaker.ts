import { DomainError } from '../errors.js';
import type { Clock } from '../ports/clock.js';
import type { Log } from '../ports/log.js';

const PROBE_EVERY_MS = 1_000;
const PROBE_TIMEOUT_MS = 500;

/** The storage was not queried, because the last probe failed. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';

  constructor() {
    super('The read tables are unavailable');
  }
}

/**
 * A circuit breaker: while storage is unavailable, calls fail immediately. A failed call does not prove that storage is unavailable,
 * because the call itself may be at fault. A probe follows and decides. While storage is unavailable, one caller per second waits for the
 * next probe.
 */
export class StorageBreaker {
  #isOpen = false;
  #probedAt = 0;
  #running: Promise<void> | null = null;

  /** `what` is shown to operators. */
  constructor(
    private readonly what: string,
    private readonly probe: () => Promise<unknown>,
    private readonly clock: Clock,
    private readonly pause: (milliseconds: number) => Promise<void>,
    private readonly log: Log,
  ) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async run<Result>(query: () => Promise<Result>): Promise<Result> {
    if (this.#isOpen && this.#isProbeDue) await this.#probe();
    if (this.#isOpen) throw new StorageUnavailable();
    try {
      return await query();
    } catch (error) {
      if (!(error instanceof DomainError)) await this.#probe();
      throw error;
    }
  }

  /** Also if the clock was set back. */
  get #isProbeDue(): boolean {
    return this.#running === null && Math.abs(this.clock.now() - this.#probedAt) >= PROBE_EVERY_MS;
  }

  #probe(): Promise<void> {
    this.#running ??= this.#probeOnce().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #probeOnce(): Promise<void> {
    try {
      await Promise.race([this.probe(), this.#giveUp()]);
      if (this.#isOpen) this.log.info(`${this.what} can be read again`);
      this.#isOpen = false;
    } catch (error) {
      if (!this.#isOpen)
        this.log.warn(`${this.what} cannot be read: answers from the cache may be outdated`, { error });
      this.#isOpen = true;
    }
    this.#probedAt = this.clock.now();
  }

  async #giveUp(): Promise<never> {
    await this.pause(PROBE_TIMEOUT_MS);
    throw new Error(`no answer within ${PROBE_TIMEOUT_MS} ms`);
  }
}
