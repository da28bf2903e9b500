import type { MappedConnection, MappedDashboard } from '../../adapters/dashboard/source/mapped-dashboard.js';
import { connectWorker } from '../../adapters/sql/postgres/connect-worker.js';
import { withTimeLimit } from '../../adapters/system/with-time-limit.js';

/** The time limit of a probe, whose caller waits for it. */
const TIMEOUT_MS = 700;
const NAME = 'blog-read-api probe';

interface Opened<Target> {
  readonly target: Target;
  close(): Promise<void>;
}

interface Connection<Target> extends Opened<Target> {
  /** Queries in progress. */
  queries: number;
}

/**
 * Besides the worker's busy connection. After a failure, the next query opens another one, since a
 * frozen server never responds; queries in progress end by themselves.
 */
export class Probe<Target> {
  #connection: Connection<Target> | null = null;
  #isClosed = false;

  constructor(
    private readonly open: (name: string) => Opened<Target>,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  async query<Result>(run: (target: Target) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new Error('this program is stopping');
    this.#connection ??= { ...this.open(NAME), queries: 0 };
    const connection = this.#connection;
    connection.queries++;
    try {
      return await withTimeLimit(this.timeoutMs, run(connection.target));
    } catch (error) {
      if (this.#connection === connection) this.#connection = null;
      throw error;
    } finally {
      connection.queries--;
      // Not awaited: closing takes time if the other side does not respond.
      if (connection.queries === 0 && this.#connection !== connection) void connection.close();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.close();
  }
}

export type DatabaseProbe = Probe<ReturnType<typeof connectWorker>['database']>;

/** For PostgreSQL. */
export function probeOn(url: string, timeoutMs?: number): DatabaseProbe {
  return new Probe((name) => {
    const connection = connectWorker(url, name);
    return { target: connection.database, close: () => connection.close() };
  }, timeoutMs);
}

/** For a dashboard of any kind. */
export function probeOfDashboard(engine: MappedDashboard, timeoutMs?: number): Probe<MappedConnection> {
  return new Probe((name) => {
    const connection = engine.connect(name);
    return { target: connection, close: () => connection.close() };
  }, timeoutMs);
}
