import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import knex, { type Knex } from 'knex';

/** Knex would write to the terminal by itself; whatever it has to say also comes as an error. */
const NO_LOG = { debug() {}, warn() {}, error() {}, deprecate() {} };
const STATEMENT_TIMEOUT_MS = 9_000;
/** The dashboard may lock its tables for longer; then the worker looks again, instead of waiting in line before others. */
const LOCK_TIMEOUT_MS = 1_000;
const FAREWELL_MS = 500;
/** A row that row-level security hides is an error, and not one that is gone. */
const ALL_ROWS_OR_NONE = 'set row_security = off';

interface NewClient {
  readonly connection: { readonly stream: Socket };
  query(sql: string, answered: (error: Error | null) => void): void;
}

/** The one connection that a worker has to a database: nothing overtakes, and a lock that it holds is its own. */
export class WorkerConnection {
  readonly database: Knex;
  readonly #sockets = new Set<Socket>();

  constructor(url: string, name: string) {
    const connection = {
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: 5_000,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      keepAlive: true,
    };
    this.database = knex({
      client: 'pg',
      log: NO_LOG,
      connection,
      pool: {
        min: 1,
        max: 1,
        afterCreate: (client: NewClient, done: (error: Error | null) => void) => {
          this.#sockets.add(client.connection.stream);
          client.query(ALL_ROWS_OR_NONE, (error) => done(error));
        },
      },
      acquireConnectionTimeout: 6_000,
    });
  }

  /** Also where the other side does not answer any more. */
  async close(): Promise<void> {
    const ended = this.database.destroy().catch(() => {});
    await Promise.race([ended, pause(FAREWELL_MS, undefined, { ref: false })]);
    for (const socket of this.#sockets) socket.destroy();
  }
}
