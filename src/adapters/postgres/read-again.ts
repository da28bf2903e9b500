import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { disposeConnection } from './dispose-connection.js';
import type { NewConnection } from './open-database.js';
import type { PreparedStatements } from './prepare-statements.js';

/** An administrator ends a session, a server that crashed ends all, and one that was idle for long is ended. */
const FAREWELLS = new Set(['57P01', '57P02', '57P05']);
/** What ends later had its time: whoever waits is told within two seconds. */
const LATEST_MS = 100;

/** What Knex has, and does not declare. */
interface Runner {
  readonly connection?: NewConnection;
  run(): Promise<unknown>;
}

interface Client {
  runner(builder: unknown): Runner;
}

/** Of connections whose sessions the server has ended, or in which a statement is prepared that is so no more. */
export class EndedSessions {
  readonly #ended = new WeakSet<NewConnection>();

  constructor(private readonly prepared: PreparedStatements) {}

  /** A farewell is the answer to a query, if there is one, and Knex would give the connection to the next. */
  watch(opened: NewConnection): void {
    opened.connection.on('errorMessage', ({ code }) => {
      if (!FAREWELLS.has(code) && !this.prepared.isOutdated(code)) return;
      this.#ended.add(opened);
      disposeConnection(opened, code);
    });
  }

  has(connection: NewConnection): boolean {
    return this.#ended.has(connection) || connection.connection.stream.destroyed;
  }
}

/**
 * A statement whose session ends before its answer is there goes once more to another one: sessions end while nobody looks, and the next
 * request is who finds out. For a database that is only read, and without transactions.
 */
export function readAgain(database: Knex, ended: EndedSessions): void {
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
        // Where more sessions end at once, that is known then.
        await nextTurn();
        return newRunner(builder).run();
      }
    };
    return runner;
  };
}
