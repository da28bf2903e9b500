import { WorkerConnection } from '../../adapters/postgres/connection/worker-connection.js';
import { withTimeLimit } from '../../adapters/system/with-time-limit.js';

/** The time limit of a probe, whose caller waits for it. */
const TIMEOUT_MS = 700;
const NAME = 'blog-read-api probe';

interface Closable {
  close(): Promise<void>;
}

/**
 * Besides the worker's busy connection. Closed after any failure: a frozen server never responds.
 */
export class Probe<Target> {
  #connection: (Closable & { readonly target: Target }) | null = null;
  #isClosed = false;

  constructor(
    private readonly open: (name: string) => Closable & { readonly target: Target },
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  async query<Result>(run: (target: Target) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new Error('this program is stopping');
    this.#connection ??= this.open(NAME);
    const connection = this.#connection;
    try {
      return await withTimeLimit(this.timeoutMs, run(connection.target));
    } catch (error) {
      if (this.#connection === connection) this.#connection = null;
      // Not awaited: closing takes time if the other side does not respond.
      void connection.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.close();
  }
}

export type DatabaseProbe = Probe<WorkerConnection['database']>;

/** For PostgreSQL. */
export function probeOn(url: string, timeoutMs?: number): DatabaseProbe {
  return new Probe((name) => {
    const connection = new WorkerConnection(url, name);
    return { target: connection.database, close: () => connection.close() };
  }, timeoutMs);
}
