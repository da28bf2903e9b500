import knex, { type Knex } from 'knex';

/** A request that waits for PostgreSQL waits this long for a connection and this long for an answer, and then fails. */
export const CONNECTION_TIMEOUT_MS = 900;
export const QUERY_TIMEOUT_MS = 1_000;

/** Knex would write to the terminal by itself; whatever it has to say also comes as an error. */
const NO_LOG = { debug() {}, warn() {}, error() {}, deprecate() {} };

export type ReadDatabase = Knex;

/** The read tables as the API uses them: fast or not at all. */
export function openReadDatabase(url: string): ReadDatabase {
  return knex({
    client: 'pg',
    log: NO_LOG,
    connection: {
      connectionString: url,
      application_name: 'blog-read-api',
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      statement_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
    },
    pool: { min: 0, max: 10 },
    acquireConnectionTimeout: CONNECTION_TIMEOUT_MS,
  });
}

export interface PoolLoad {
  readonly inUse: number;
  /** Queries that no connection is free for. */
  readonly waiting: number;
}

export function poolLoad(database: ReadDatabase): PoolLoad {
  const { pool } = database.client;
  return { inUse: pool.numUsed(), waiting: pool.numPendingAcquires() };
}
