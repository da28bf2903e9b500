const SLICES = 10;

interface Waiting {
  slicesLeft: number;
  readonly giveUp: () => void;
}

/**
 * Time passes in slices, and one in which this process was too busy to look counts as one, however long it was: a timer of the whole
 * time would reject replies that have arrived and wait to be read, and a process under load would take itself for an outage. One
 * timer serves all who wait: one for each reply would cost more than the rest of asking.
 */
export class ReplyDeadline {
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly milliseconds: number) {}

  within<Result>(reply: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error(`Redis did not answer within ${this.milliseconds} ms`));
      const waiting = { slicesLeft: SLICES, giveUp };
      this.#waiting.add(waiting);
      this.#timer ??= setInterval(() => this.#passSlice(), this.milliseconds / SLICES);
      reply.then(
        (result) => {
          this.#waiting.delete(waiting);
          resolve(result);
        },
        (error) => {
          this.#waiting.delete(waiting);
          reject(error);
        },
      );
    });
  }

  #passSlice(): void {
    for (const waiting of this.#waiting) {
      waiting.slicesLeft--;
      if (waiting.slicesLeft > 0) continue;
      this.#waiting.delete(waiting);
      // What has arrived by now is read first.
      setImmediate(waiting.giveUp);
    }
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
