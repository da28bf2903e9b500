import type { Knex } from 'knex';
import { identityOn, replicaProblem, type ServerIdentity } from '../inspect/server-identity.js';
import { type DatabaseOptions, openDatabase } from './open-database.js';
import { PreparedStatements } from './prepare-statements.js';
import { EndedSessions, retryOnEndedSession } from './retry-on-ended-session.js';

/** For a connection, and again for an answer. */
export const CONNECTION_TIMEOUT_MS = 900;
export const QUERY_TIMEOUT_MS = 1_000;
/** To the primary. */
export const MAX_CONNECTIONS = 10;
/** Opened at the start and kept: as many as one organization may use at once. */
export const KEPT_CONNECTIONS = 4;
/** Before the caller gives up and the query's connection is discarded. */
const CANCEL_AFTER_MS = 950;

/**
 * Plans that do not depend on statistics: a page is read in the order of its index, and a search
 * uses the index on titles.
 */
const PLANS = { plan_cache_mode: 'force_custom_plan', enable_sort: 'off', enable_seqscan: 'off' };

export type ReadDatabase = Knex;

/** All concurrent computations of a process, and a probe. */
const CONNECTIONS_TO_REPLICA = 9;

/** The read tables for the API, with short time limits. */
export function openReadDatabase(url: string): ReadDatabase {
  return openReadPool(url, [KEPT_CONNECTIONS, MAX_CONNECTIONS]);
}

/** A standby of that primary, or the primary itself; checked, as an address may lead elsewhere. */
export function openReplica(url: string, primary: () => ServerIdentity | null): ReadDatabase {
  return openReadPool(url, [0, CONNECTIONS_TO_REPLICA], async (session) => {
    const identity = primary();
    if (identity === null) return;
    const reason = replicaProblem(await identityOn(session), identity);
    if (reason !== null) throw new Error(reason);
  });
}

function openReadPool(
  url: string,
  connections: DatabaseOptions['connections'],
  judge: DatabaseOptions['judge'] = async () => {},
): ReadDatabase {
  const prepared = new PreparedStatements();
  const ended = new EndedSessions(prepared);
  const database = openDatabase(url, {
    name: 'blog-read-api',
    connections,
    judge,
    connectTimeoutMs: CONNECTION_TIMEOUT_MS,
    acquireTimeoutMs: CONNECTION_TIMEOUT_MS,
    settings: {
      statement_timeout: `${QUERY_TIMEOUT_MS}ms`,
      ...PLANS,
    },
    longestQueryMs: CANCEL_AFTER_MS,
    prepared,
    mayWrite: false,
    onConnection: (opened) => ended.watch(opened),
  });
  retryOnEndedSession(database, ended);
  return database;
}

/** One after the other, because many processes may start at the same time. */
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
  /** Queries that wait for a free connection. */
  readonly waiting: number;
}

export function poolLoad(database: ReadDatabase): PoolLoad {
  const { pool } = database.client;
  return { inUse: pool.numUsed(), waiting: pool.numPendingAcquires() };
}
