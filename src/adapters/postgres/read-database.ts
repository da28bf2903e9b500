import type { Knex } from 'knex';
import { type DatabaseOptions, openDatabase } from './open-database.js';
import { PreparedStatements } from './prepare-statements.js';
import { EndedSessions, readAgain } from './read-again.js';
import { identityOn, type ServerIdentity, whyNoReplica } from './server-identity.js';

/** A request that waits for PostgreSQL waits this long for a connection and this long for an answer, and then fails. */
export const CONNECTION_TIMEOUT_MS = 900;
export const QUERY_TIMEOUT_MS = 1_000;
/** To the primary. */
export const MOST_CONNECTIONS = 10;
/** Before whoever waits gives up, and the connection with the query. */
const CANCEL_AFTER_MS = 950;

/**
 * Since this version, a plan is not only made dearer by what is off. A page is then read in the order of its index, and not sorted out of
 * all that is on its list, which is what PostgreSQL does where it takes the list for a short one: without statistics, or in a category.
 */
const COUNTS_WHAT_IS_OFF = 180_000;

export type ReadDatabase = Knex;

/** All computations of a process at once, and a probe. */
const CONNECTIONS_TO_REPLICA = 9;

/** The read tables as the API uses them: fast or not at all. */
export function openReadDatabase(url: string): ReadDatabase {
  return openToRead(url, MOST_CONNECTIONS);
}

/** Each connection is to a standby of that primary, or to itself: an address may lead elsewhere by now. */
export function openReplica(url: string, primary: () => Promise<ServerIdentity>): ReadDatabase {
  return openToRead(url, CONNECTIONS_TO_REPLICA, async (session) => {
    const reason = whyNoReplica(await identityOn(session), await primary());
    if (reason !== null) throw new Error(reason);
  });
}

function openToRead(
  url: string,
  connections: number,
  judge: DatabaseOptions['judge'] = async () => {},
): ReadDatabase {
  const prepared = new PreparedStatements();
  const ended = new EndedSessions(prepared);
  const database = openDatabase(url, {
    name: 'blog-read-api',
    connections: [0, connections],
    judge,
    connectTimeoutMs: CONNECTION_TIMEOUT_MS,
    acquireTimeoutMs: CONNECTION_TIMEOUT_MS,
    settings: {
      statement_timeout: `${QUERY_TIMEOUT_MS}ms`,
      plan_cache_mode: 'force_custom_plan',
      enable_sort: { value: 'off', sinceVersion: COUNTS_WHAT_IS_OFF },
    },
    longestQueryMs: CANCEL_AFTER_MS,
    prepared,
    mayWrite: false,
    onConnection: (opened) => ended.watch(opened),
  });
  readAgain(database, ended);
  return database;
}

/** One after the other: many processes may start at once. */
export async function openConnections(database: ReadDatabase, count: number): Promise<void> {
  const { client } = database;
  const opened: unknown[] = [];
  try {
    while (opened.length < count) opened.push(await client.acquireConnection());
  } finally {
    for (const connection of opened) client.releaseConnection(connection);
  }
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
