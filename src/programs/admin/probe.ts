import { withTimeLimit } from '../../adapters/system/with-time-limit.js';

/** The time limit of a probe, whose caller waits for it. */
const TIMEOUT_MS = 700;
const NAME = 'blog-read-api probe';

/**
 * Besides the worker's busy connection. After a failure, the next query opens another one, since a
 * frozen server never responds; queries in progress end by themselves.
 */
export class Probe<Target extends { close(): Promise<void> }> {
  /** With the number of its queries in progress. */
  #connection: { readonly target: Target; queries: number } | null = null;
  #isClosed = false;

  constructor(
    private readonly open: (name: string) => Target,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  async query<Result>(run: (target: Target) => Promise<Result>, timeoutMs = this.timeoutMs): Promise<Result> {
    if (this.#isClosed) throw new Error('this program is stopping');
    this.#connection ??= { target: this.open(NAME), queries: 0 };
    const connection = this.#connection;
    connection.queries++;
    try {
      return await withTimeLimit(timeoutMs, run(connection.target));
    } catch (error) {
      if (this.#connection === connection) this.#connection = null;
      throw error;
    } finally {
      connection.queries--;
      // Not awaited: closing takes time if the other side does not respond.
      if (connection.queries === 0 && this.#connection !== connection) void connection.target.close();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.target.close();
  }
}
