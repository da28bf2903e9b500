import type { Log } from '../../domain/ports/system/log.js';

/** Never runs twice at a time; logs when failures begin and when they end. */
export class RepeatedTask {
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;
  #round: Promise<void> = Promise.resolve();
  #failing = false;

  constructor(
    private readonly name: string,
    private readonly everyMs: number,
    private readonly task: () => Promise<void>,
    private readonly log: Log,
  ) {}

  async start(): Promise<void> {
    this.#round = this.#run();
    await this.#round;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#round;
  }

  async #run(): Promise<void> {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#round.then(() => this.#run());
    }, this.everyMs);
    try {
      await this.task();
      if (this.#failing) this.log.info(`${this.name}: works again`);
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.log.warn(`${this.name}: failed and is retried`, { error });
      this.#failing = true;
    }
  }
}
