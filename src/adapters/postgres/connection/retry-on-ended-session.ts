import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { disposeConnection } from './dispose-connection.js';
import type { NewConnection } from './open-database.js';
import type { PreparedStatements } from './prepare-statements.js';

/** An administrator ended the session, the server crashed, or it was idle for too long. */
const SESSION_ENDED_CODES = new Set(['57P01', '57P02', '57P05']);
/** Later failures are not retried, because the caller has to get an answer within two seconds. */
const LATEST_MS = 100;

/** Methods of Knex that its types do not declare. */
interface Runner {
  readonly connection?: NewConnection;
  run(): Promise<unknown>;
}

interface Client {
  runner(builder: unknown): Runner;
}

/** Connections whose sessions the server has ended, or that hold an outdated prepared statement. */
export class EndedSessions {
  readonly #ended = new WeakSet<NewConnection>();

  constructor(private readonly prepared: PreparedStatements) {}

  /** That message arrives as the answer to a query, and Knex would keep the connection. */
  watch(opened: NewConnection): void {
    opened.connection.on('errorMessage', ({ code }) => {
      if (!SESSION_ENDED_CODES.has(code) && !this.prepared.isOutdated(code)) return;
      this.#ended.add(opened);
      disposeConnection(opened, code);
    });
  }

  has(connection: NewConnection): boolean {
    return this.#ended.has(connection) || connection.connection.stream.destroyed;
  }
}

/**
 * Retries a statement once: sessions end while idle, and the next request finds out. Only for a
 * database that is read, and without transactions.
 */
export function retryOnEndedSession(database: Knex, ended: EndedSessions): void {
  const client: Client = database.client;
  const newRunner = client.runner.bind(client);
  client.runner = (builder) => {
    const runner = newRunner(builder);
    const run = runner.run.bind(runner);
    runner.run = async () => {
      const startedAt = performance.now();
      try {
        return await run();
      } catch (error) {
        const { connection } = runner;
        if (connection === undefined || !ended.has(connection)) throw error;
        if (performance.now() - startedAt > LATEST_MS) throw error;
        // If more sessions end at the same time, that is known after this turn.
        await nextTurn();
        return newRunner(builder).run();
      }
    };
    return runner;
  };
}
