import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import { openConnection, openDatabase } from '../connection/open-database.js';

const NAME = 'blog-read-api migrate';

export interface Migrations {
  /**
   * Numbered .sql files, each of which runs once and is never edited afterwards. All missing ones
   * are one transaction, except `….concurrently.sql`, which run outside of any.
   */
  readonly directory: URL;
  /** The schema of the list of applied migrations. */
  readonly schema: string;
  readonly table: string;
}

/** Readers and writers queue behind the requested lock for no longer than this. */
const LOCK_TIMEOUT = '500ms';
const PAUSE_MS = 300;
const ATTEMPTS = 5;
const LOCK_NOT_AVAILABLE = '55P03';
/** A deadlock with a killed run, whose `create index concurrently` waits for this one. */
const DEADLOCK_DETECTED = '40P01';
const CONCURRENTLY = '.concurrently.sql';

/** Another session has locked a table that a migration has to change. */
export class TablesInUse extends Error {
  override readonly name = 'TablesInUse';
}

/** Others lack characters, and SQL_ASCII does not say which ones it has. */
export const NEEDED_ENCODING = 'UTF8';

export const CHANGE_ENCODING =
  "the encoding of a database cannot be changed: create another one (create database … encoding 'UTF8' template template0), copy the " +
  'content with pg_dump and psql, and set the URL to it. From SQL_ASCII, pass the real encoding of the text to pg_dump with --encoding';

/** The extensions may be in a schema other than `public`. */
const FIND_EXTENSIONS = `
  select set_config('search_path', concat_ws(', ', 'public', string_agg(distinct quote_ident(nspname), ', ')), false)
  from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
  where extname in ('pg_trgm', 'btree_gin') and nspname <> 'public'`;

/** Applies the missing migrations and returns their names. */
export async function migrateDatabase(url: string, migrations: Migrations): Promise<readonly string[]> {
  const lock = await openConnection(url, NAME);
  try {
    await requireEncoding(lock);
    await requireSingleRun(lock, `${migrations.schema}.${migrations.table}`);
    return await retryWhileLocked(() => runPending(url, migrations));
  } finally {
    await lock.end();
  }
}

/**
 * A killed run leaves no lock. It is polled, because `create index concurrently` waits for all
 * earlier statements, including one that waits for this lock.
 */
async function requireSingleRun(client: pg.Client, name: string): Promise<void> {
  const isHeld = async () => {
    const sql = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as held';
    const { rows } = await client.query<{ held: boolean }>(sql, [name]);
    return rows[0]?.held === true;
  };
  while (!(await isHeld())) await pause(PAUSE_MS);
}

async function requireEncoding(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; encoding: string }>(
    `select current_database() as name, current_setting('server_encoding') as encoding`,
  );
  const [{ name, encoding } = { name: '', encoding: '' }] = rows;
  if (encoding === NEEDED_ENCODING) return;
  throw new Error(
    `The database "${name}" has the encoding ${encoding}, but ${NEEDED_ENCODING} is required: ${CHANGE_ENCODING}.`,
  );
}

async function retryWhileLocked<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let n = 1; ; n++) {
    try {
      return await attempt();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK_DETECTED) throw error;
      if (n === ATTEMPTS) throw new TablesInUse('Another session has locked a table', { cause: error });
    }
    await pause(PAUSE_MS);
  }
}

async function runPending(url: string, { directory, schema, table }: Migrations): Promise<readonly string[]> {
  const database = openDatabase(url, {
    name: NAME,
    connections: [1, 1],
    connectTimeoutMs: 10_000,
    acquireTimeoutMs: 15_000,
    settings: { lock_timeout: LOCK_TIMEOUT },
    mayWrite: true,
  });
  const config = { migrationSource: new SqlFiles(directory), schemaName: schema, tableName: table };
  try {
    await database.raw(FIND_EXTENSIONS);
    await database.raw('create schema if not exists ??', [schema]);
    // A run that holds Knex's own lock was killed: a living one would hold our lock.
    await database.migrate.forceFreeMigrationsLock(config);
    const [, taken]: [number, string[]] = await database.migrate.latest(config);
    return taken;
  } finally {
    await database.destroy();
  }
}

export async function sqlFilesIn(directory: URL): Promise<string[]> {
  return (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort();
}

interface ConfiguredMigration extends Knex.Migration {
  readonly config?: { readonly transaction: boolean };
}

class SqlFiles implements Knex.MigrationSource<string> {
  constructor(private readonly directory: URL) {}

  getMigrations(): Promise<string[]> {
    return sqlFilesIn(this.directory);
  }

  getMigrationName(file: string): string {
    return file;
  }

  async getMigration(file: string): Promise<ConfiguredMigration> {
    const sql = await readFile(new URL(file, this.directory), 'utf8');
    return file.endsWith(CONCURRENTLY)
      ? { up: (database) => runOneByOne(database, sql), down: refuseRollback, config: { transaction: false } }
      : { up: (transaction) => runVerbatim(transaction, [sql]), down: refuseRollback };
  }
}

/** It blocks neither readers nor writers, so it may wait until all open transactions end. */
async function runOneByOne(database: Knex, sql: string): Promise<void> {
  const statements = sql.split(/;\s*$/m).filter((statement) => statement.trim() !== '');
  await database.raw('set lock_timeout = 0');
  try {
    await runVerbatim(database, statements);
  } finally {
    await database.raw(`set lock_timeout = '${LOCK_TIMEOUT}'`);
  }
}

/** Knex would take a `?` for a binding, and cannot write one that follows a backslash. */
async function runVerbatim(database: Knex, statements: readonly string[]): Promise<void> {
  const connection: pg.ClientBase = await database.client.acquireConnection();
  try {
    for (const statement of statements) await connection.query(statement);
  } finally {
    await database.client.releaseConnection(connection);
  }
}

function refuseRollback(): never {
  throw new Error('Migrations of this project go forward only.');
}
