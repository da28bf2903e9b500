const SLICES = 10;

interface Waiting {
  slicesLeft: number;
  /** In the list. */
  place: number;
  readonly giveUp: () => void;
}

/**
 * Time passes in slices, and one in which this process was too busy to look counts as one, however long it was: a timer of the whole
 * time would reject replies that have arrived and wait to be read, and a process under load would take itself for an outage. One
 * timer serves all who wait: one for each reply would cost more than the rest of asking.
 */
export class ReplyDeadline {
  /** Not a Set, which would make what it held grow old: see ADR 21. */
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly milliseconds: number) {}

  within<Result>(reply: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(new Error(`Redis did not answer within ${this.milliseconds} ms`));
      const waiting: Waiting = { slicesLeft: SLICES, place: this.#waiting.length, giveUp };
      this.#waiting.push(waiting);
      this.#timer ??= setInterval(() => this.#passSlice(), this.milliseconds / SLICES);
      reply.then(
        (result) => {
          this.#remove(waiting);
          resolve(result);
        },
        (error) => {
          this.#remove(waiting);
          reject(error);
        },
      );
    });
  }

  #passSlice(): void {
    for (const waiting of [...this.#waiting]) {
      waiting.slicesLeft--;
      if (waiting.slicesLeft > 0) continue;
      this.#remove(waiting);
      // What has arrived by now is read first.
      setImmediate(waiting.giveUp);
    }
    if (this.#waiting.length > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Harmless where it was removed before. */
  #remove(waiting: Waiting): void {
    if (this.#waiting[waiting.place] !== waiting) return;
    const last = this.#waiting.pop() as Waiting;
    if (last === waiting) return;
    this.#waiting[waiting.place] = last;
    last.place = waiting.place;
  }
}
