import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** Longer than a healthy database takes, and small compared to what a slow one may cost. */
const MAX_WAIT_MS = 100;

type Answers<Answer> = ReadonlyMap<string, Answer>;

interface Round<Answer> {
  readonly keys: Set<string>;
  readonly answers: Promise<Answers<Answer>>;
}

/**
 * Combines the look-ups of all keys in one turn of the event loop, or all that arrive during the last query, into one query: many concurrent requests
 * take one connection.
 */
export class BatchedQuery<Answer> {
  #next: Round<Answer> | null = null;
  #running: Promise<unknown> = Promise.resolve();

  constructor(private readonly query: (keys: string[]) => Promise<Answers<Answer>>) {}

  /** The answer is read from the database after this call, not before. */
  async get(key: string): Promise<Answer | undefined> {
    this.#next ??= this.#prepare();
    const { keys, answers } = this.#next;
    keys.add(key);
    return (await answers).get(key);
  }

  #prepare(): Round<Answer> {
    const keys = new Set<string>();
    const send = async () => {
      await nextTurn();
      await Promise.race([this.#running, pause(MAX_WAIT_MS, undefined, { ref: false })]);
      this.#next = null;
      const answers = this.query([...keys]);
      this.#running = answers.catch(() => {});
      return answers;
    };
    return { keys, answers: send() };
  }
}
