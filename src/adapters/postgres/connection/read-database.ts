import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import { identityOn, replicaProblem, type ServerIdentity } from '../inspect/server-identity.js';
import {
  type DatabaseOptions,
  disposeConnection,
  type NewConnection,
  openDatabase,
} from './open-database.js';

/** An administrator ended the session, the server crashed, or it was idle for too long. */
const SESSION_ENDED_CODES = new Set(['57P01', '57P02', '57P05']);
/** Later failures are not retried, because the caller has to get an answer within two seconds. */
const LATEST_MS = 100;

/** Texts differ by the kind of request and not by values, so there are fewer than this. */
const MAX_STATEMENTS = 200;
/** An unknown name, or one in use, shows that sessions are shared. */
const SESSION_IS_SHARED = new Set(['26000', '42P05']);
/** The type of a column has changed, so PostgreSQL rejects the prepared statement. */
const TYPES_CHANGED = '0A000';

/** Methods of Knex that its types do not declare. */
interface Runner {
  readonly connection?: NewConnection;
  run(): Promise<unknown>;
}

interface Client {
  runner(builder: unknown): Runner;
}

/** For a connection, and again for an answer. */
const CONNECTION_TIMEOUT_MS = 900;
export const QUERY_TIMEOUT_MS = 1_000;
/** To the primary. */
export const MAX_CONNECTIONS = 10;
/** Opened at the start and kept: as many as one organization may use at once. */
export const KEPT_CONNECTIONS = 4;

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

/** Connections whose sessions the server has ended, or that hold an outdated prepared statement. */
class EndedSessions {
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
function retryOnEndedSession(database: Knex, ended: EndedSessions): void {
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
    const sendNamed = (statement: unknown, ...args: unknown[]) => send(this.#named(statement), ...args);
    client.query = sendNamed as typeof client.query;
  }

  /** Whether a rejected statement can be repeated on another connection. */
  isOutdated(code: string): boolean {
    if (SESSION_IS_SHARED.has(code)) this.#isAllowed = false;
    return code === TYPES_CHANGED || SESSION_IS_SHARED.has(code);
  }

  #named(statement: unknown): unknown {
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
