import type { Socket } from 'node:net';
import type { Knex } from 'knex';
import pg from 'pg';
import { openKnex } from '../open-knex.js';
import { PINNED_FOR_WRITERS, pinned, type SessionSettings } from './session-settings.js';

const LOOKS_AT_SESSIONS = 10;

export interface NewConnection {
  readonly connection: {
    readonly stream: Socket;
    on(event: 'errorMessage', listener: (error: Error & { readonly code: string }) => void): unknown;
  };
  on(event: 'error' | 'end', listener: () => void): unknown;
}

export interface DatabaseOptions {
  readonly name: string;
  /** The smallest and the largest number of connections. */
  readonly connections: readonly [number, number];
  readonly connectTimeoutMs: number;
  /** How long a query waits for a free connection. */
  readonly acquireTimeoutMs: number;
  readonly settings?: SessionSettings;
  /** Prepares statements in the server's sessions, if they are not shared. */
  readonly prepared?: { prepareOn(session: pg.Client): void };
  readonly mayWrite: boolean;
  /** If this throws, the connection is not used. */
  readonly onConnection?: (connection: NewConnection) => void;
}

/**
 * The only place that connects. Sessions depend on no settings of the server or role, and what the
 * API reads depends on none at all, since a pooler may drop them.
 */
export function openDatabase(url: string, options: DatabaseOptions): Knex {
  const { name, connections, connectTimeoutMs, acquireTimeoutMs, settings = {}, mayWrite } = options;
  return openKnex<pg.Client & NewConnection>({
    client: 'pg',
    // Our servers are at least this new.
    version: '14',
    connection: {
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    },
    connections,
    acquireTimeoutMs,
    configure: async (client) => {
      options.onConnection?.(client);
      await pin(client, settings, mayWrite);
      if (options.prepared !== undefined && !(await isPooled(client))) options.prepared.prepareOn(client);
    },
  });
}

/**
 * Opens a connection without Knex; after it breaks, the next query fails. `timeoutMs` is for
 * connecting and for each query. 0: none.
 */
export async function openConnection(url: string, name: string, timeoutMs: number): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: name,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // Without a listener the error would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await pin(client, {}, true);
    return client;
  } catch (error) {
    endConnection(client);
    throw error;
  }
}

/** Sends nothing to the server, which may be frozen. */
export function endConnection(client: pg.Client): void {
  (client as pg.Client & NewConnection).connection.stream.destroy();
}

async function pin(client: pg.Client, settings: SessionSettings, mayWrite: boolean): Promise<void> {
  await client.query(pinned(settings));
  if (mayWrite) await client.query(PINNED_FOR_WRITERS);
}

/** Knex gives a connection with this property to no other query. Its types do not declare it. */
export function disposeConnection(connection: object, reason: string): void {
  Object.assign(connection, { __knex__disposed: reason });
}

/** In transaction mode, a pooler gives two connections one session or, if busy, changing ones. */
export async function sharesSessions({ client }: Knex): Promise<boolean> {
  const connection: pg.Client = await client.acquireConnection();
  try {
    if (!(await isPooled(connection))) return false;
    const another: pg.Client = await client.acquireRawConnection();
    const pairs = new Set<string>();
    try {
      for (let look = 0; look < LOOKS_AT_SESSIONS; look++) {
        const [one, other] = [await sessionOf(connection), await sessionOf(another)];
        if (one === other) return true;
        pairs.add(`${one} ${other}`);
      }
      return pairs.size > 1;
    } finally {
      endConnection(another);
    }
  } finally {
    await client.releaseConnection(connection);
  }
}

/** In any mode, a pooler gives its clients numbers of sessions that are not the server's. */
export async function isPooled(connection: pg.Client): Promise<boolean> {
  const { processID } = connection as pg.Client & { readonly processID: number };
  return (await sessionOf(connection)) !== processID;
}

async function sessionOf(connection: pg.Client): Promise<number | undefined> {
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

/** The dashboard's database. No request waits for it, so its time limits are generous. */
export function openDashboardDatabase(url: string, settings: SessionSettings = {}): Knex {
  return openDatabase(url, {
    name: 'blog-read-api',
    connections: [0, 4],
    connectTimeoutMs: 5_000,
    acquireTimeoutMs: 10_000,
    settings,
    mayWrite: true,
  });
}
