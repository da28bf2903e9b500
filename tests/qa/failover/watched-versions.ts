import type { ReceivedAnswer } from '../../support/http/send-request.js';

const VERSION = /"title":"version (\d+)"/;

/** Readers that continuously request answers that show a version of the content, until they are stopped. */
export class WatchedVersions {
  /** Violations: answers other than 200, and answers older than one that was received before the request. */
  readonly wrong: string[] = [];
  answers = 0;
  /** The newest version that was shown. */
  newest = 0;
  #newestGeneration = 0;
  #asked = 0;
  #isStopped = false;
  readonly #readers: readonly Promise<void>[];

  constructor(
    readers: number,
    private readonly ask: (number: number) => Promise<ReceivedAnswer>,
  ) {
    this.#readers = Array.from({ length: readers }, () => this.#read());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#readers);
  }

  async #read(): Promise<void> {
    while (!this.#isStopped) {
      const before = { version: this.newest, generation: this.#newestGeneration };
      const answer = await this.ask(this.#asked++);
      this.answers++;
      if (answer.status !== 200) {
        this.wrong.push(`${answer.status}: ${answer.text}`);
        continue;
      }
      const version = Number(VERSION.exec(answer.text)?.[1]);
      const generation = Number(answer.headers['x-content-generation']);
      if (!(version >= before.version && generation >= before.generation)) {
        this.wrong.push(
          `version ${version} of generation ${generation} after ${before.version} of ${before.generation}`,
        );
      }
      this.newest = Math.max(this.newest, version);
      this.#newestGeneration = Math.max(this.#newestGeneration, generation);
    }
  }
}
