import { setTimeout as pause } from 'node:timers/promises';

/** Runs beside what else its program does. */
export abstract class Loop {
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  start(): void {
    this.#running = this.runUntilStopped();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Retries after every failure. */
  protected abstract runUntilStopped(): Promise<void>;

  protected get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Ends early when the loop is stopped. */
  protected async wait(milliseconds: number): Promise<void> {
    await pause(milliseconds, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }
}
