import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** Longer than a healthy database takes, and small compared to what a slow one may cost. */
const MAX_WAIT_MS = 100;

type Results<Result> = ReadonlyMap<string, Result>;

interface Round<Result> {
  readonly keys: Set<string>;
  readonly results: Promise<Results<Result>>;
}

/**
 * One query for the look-ups of a turn, or of the time that the last query took, so that many
 * concurrent requests take one connection.
 */
export class BatchedQuery<Result> {
  #next: Round<Result> | null = null;
  #running: Promise<unknown> = Promise.resolve();

  constructor(private readonly query: (keys: string[]) => Promise<Results<Result>>) {}

  /** The result is read from the database after this call, not before. */
  async get(key: string): Promise<Result | undefined> {
    this.#next ??= this.#prepare();
    const { keys, results } = this.#next;
    keys.add(key);
    return (await results).get(key);
  }

  #prepare(): Round<Result> {
    const keys = new Set<string>();
    const send = async () => {
      await nextTurn();
      await Promise.race([this.#running, pause(MAX_WAIT_MS, undefined, { ref: false })]);
      this.#next = null;
      const results = this.query([...keys]);
      this.#running = results.catch(() => {});
      return results;
    };
    return { keys, results: send() };
  }
}
