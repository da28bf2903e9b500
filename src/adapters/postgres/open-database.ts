import type { Socket } from 'node:net';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { endLongQueries } from './end-long-queries.js';
import { isPooled } from './is-behind-pooler.js';
import type { PreparedStatements } from './prepare-statements.js';
import { PINNED_FOR_WRITERS, pinned, type SessionSettings } from './session-settings.js';

/** Knex would write to the terminal by itself; whatever it has to say also comes as an error. */
const NO_LOG = { debug() {}, warn() {}, error() {}, deprecate() {} };
/** Knex would ask each pool's first connection for it, before anything is pinned. Ours are at least as new. */
const VERSION = '14';
const { DATE, TIME, TIMESTAMP, TIMESTAMPTZ } = pg.types.builtins;
const TIMES: readonly number[] = [DATE, TIME, TIMESTAMP, TIMESTAMPTZ];

export interface NewConnection {
  readonly connection: {
    readonly stream: Socket;
    on(event: 'errorMessage', listener: (message: { readonly code: string }) => void): unknown;
  };
  on(event: 'error' | 'end', listener: () => void): unknown;
}

export interface DatabaseOptions {
  readonly name: string;
  /** Of the smallest and the largest number of connections. */
  readonly connections: readonly [number, number];
  readonly connectTimeoutMs: number;
  /** How long a query waits for a free connection. */
  readonly acquireTimeoutMs: number;
  readonly settings?: SessionSettings;
  /** Ends longer ones also where `statement_timeout` is not kept. */
  readonly longestQueryMs?: number;
  /** What keeps statements in the server's sessions, where they are one's own. */
  readonly prepared?: PreparedStatements;
  readonly mayWrite: boolean;
  /** Where it throws, the connection is not used. */
  readonly onConnection?: (connection: NewConnection) => void;
  /** Where it rejects, the connection is not used either. */
  readonly judge?: (session: pg.Client) => Promise<void>;
}

/**
 * The one place that connects to a database: no session depends on what the server, the database or the role were told. Behind a pooler
 * that gives a session's connection to others, settings do not stick: what the API reads, it reads in a form that depends on none.
 */
export function openDatabase(url: string, options: DatabaseOptions): Knex {
  const { name, connections, connectTimeoutMs, acquireTimeoutMs, settings = {}, mayWrite } = options;
  const [min, max] = connections;
  return knex({
    client: 'pg',
    version: VERSION,
    log: NO_LOG,
    connection: {
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      types: STRICT_TYPES,
    },
    pool: {
      min,
      max,
      afterCreate: (client: pg.Client & NewConnection, done: (error: Error | null) => void) => {
        const pinAll = async () => {
          options.onConnection?.(client);
          if (options.longestQueryMs !== undefined) endLongQueries(client, options.longestQueryMs);
          await pin(client, settings, mayWrite);
          await options.judge?.(client);
          if (options.prepared !== undefined && !(await isPooled(client))) options.prepared.prepareOn(client);
        };
        pinAll().then(() => done(null), done);
      },
    },
    acquireConnectionTimeout: acquireTimeoutMs,
  });
}

/** A connection by itself, for what Knex does not do. Where it breaks between two queries, the next one says so. */
export async function openConnection(url: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: name, types: STRICT_TYPES });
  // Without a listener the error would end the process.
  client.on('error', () => {});
  await client.connect();
  await pin(client, {}, true);
  return client;
}

async function pin(client: pg.Client, settings: SessionSettings, mayWrite: boolean): Promise<void> {
  await client.query(pinned(settings));
  if (mayWrite) await client.query(PINNED_FOR_WRITERS);
}

/** The driver answers null for a time that it cannot read: a key that was revoked would be one that is not. */
const STRICT_TYPES = {
  getTypeParser: (type: number, format?: string) => {
    const parse = pg.types.getTypeParser(type, format as 'text');
    return TIMES.includes(type) ? (text: string) => parse(text) ?? refuse(text) : parse;
  },
};

function refuse(text: string): never {
  throw new Error(
    `PostgreSQL sent the time "${text}", which is not of the form that was asked for (DateStyle ISO): see whether a pooler changes settings of sessions`,
  );
}
