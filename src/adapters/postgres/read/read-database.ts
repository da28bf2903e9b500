import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type pg from 'pg';
import { means } from '../../sql/postgres/fault-of.js';
import { disposeConnection, type NewConnection, openDatabase } from '../../sql/postgres/open-database.js';

/** Texts differ by the kind of request and not by values, so there are fewer than this. */
const MAX_STATEMENTS = 200;

/** For a connection, and again for an answer. */
const CONNECTION_TIMEOUT_MS = 900;
export const QUERY_TIMEOUT_MS = 1_000;
export const MAX_CONNECTIONS = 10;
/** Opened at the start and kept: as many as one organization may use at once. */
export const KEPT_CONNECTIONS = 4;

/**
 * Plans that do not depend on statistics: a page is read in the order of its index, and a search
 * uses the index on titles.
 */
const PLANS = { plan_cache_mode: 'force_custom_plan', enable_sort: 'off', enable_seqscan: 'off' };

export type ReadDatabase = Knex;

/** The read tables for the API, with short time limits. */
export function openReadDatabase(url: string): ReadDatabase {
  const prepared = new PreparedStatements();
  return openDatabase(url, {
    name: 'blog-read-api',
    connections: [KEPT_CONNECTIONS, MAX_CONNECTIONS],
    connectTimeoutMs: CONNECTION_TIMEOUT_MS,
    acquireTimeoutMs: CONNECTION_TIMEOUT_MS,
    settings: {
      statement_timeout: `${QUERY_TIMEOUT_MS}ms`,
      ...PLANS,
    },
    prepared,
    mayWrite: false,
    onConnection: (opened) => disposeOnError(opened, prepared),
  });
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

/** Connections in use, and queries that wait for one. */
export function poolLoad(database: ReadDatabase) {
  const { pool } = database.client;
  return { poolInUse: Number(pool.numUsed()), poolWaiting: Number(pool.numPendingAcquires()) };
}

/** Such a message arrives as the answer to a query, and Knex would keep the connection. */
function disposeOnError(opened: NewConnection, prepared: PreparedStatements): void {
  opened.connection.on('errorMessage', (error) => {
    if (means(error, 'sessionEnded') || prepared.isOutdated(error)) disposeConnection(opened, error.code);
  });
}

/**
 * Each statement is sent in full once per session, so PostgreSQL parses it once. It is planned each
 * time: no generic plan suits small and large organizations.
 */
class PreparedStatements {
  readonly #names = new Map<string, string>();
  #isAllowed = true;

  /** For a session that no pooler shares. */
  prepareOn(client: pg.Client): void {
    const send: (...args: unknown[]) => unknown = client.query.bind(client);
    const sendNamed = (statement: unknown, ...args: unknown[]) => send(this.#withName(statement), ...args);
    client.query = sendNamed as typeof client.query;
  }

  /** Whether the session has statements that it rejects. */
  isOutdated(error: Error): boolean {
    const isShared = means(error, 'sessionShared');
    if (isShared) this.#isAllowed = false;
    return isShared || means(error, 'typesChanged');
  }

  #withName(statement: unknown): unknown {
    if (!this.#isAllowed || !hasValues(statement)) return statement;
    const name = this.#names.get(statement.text) ?? this.#newName(statement.text);
    return name === null ? statement : { ...statement, name };
  }

  #newName(text: string): string | null {
    if (this.#names.size === MAX_STATEMENTS) return null;
    // If sessions are shared after all, a name means the same to all clients.
    const name = `read_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }
}

/** A text without values may contain several statements. */
function hasValues(statement: unknown): statement is pg.QueryConfig {
  return (
    typeof statement === 'object' &&
    statement !== null &&
    'text' in statement &&
    'values' in statement &&
    Array.isArray(statement.values) &&
    statement.values.length > 0
  );
}
