const SLICES = 10;

interface Waiting {
  slicesLeft: number;
  /** The index in the list. */
  place: number;
  readonly giveUp: () => void;
}

/**
 * Counts time in slices. A slice in which this process was too busy to check counts once, however long it was. A single timer for the
 * whole time would reject replies that have arrived and wait to be read, so a process under load would report an outage. One timer serves
 * all replies: a timer for each would cost more than the rest of the command.
 */
export class ReplyDeadline {
  /** Not a Set, which would make its content grow old: see ADR 21. */
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
      // Replies that have already arrived are read first.
      setImmediate(waiting.giveUp);
    }
    if (this.#waiting.length > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Does nothing if it was already removed. */
  #remove(waiting: Waiting): void {
    if (this.#waiting[waiting.place] !== waiting) return;
    const last = this.#waiting.pop() as Waiting;
    if (last === waiting) return;
    this.#waiting[waiting.place] = last;
    last.place = waiting.place;
  }
}
