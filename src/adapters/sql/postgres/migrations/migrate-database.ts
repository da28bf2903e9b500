import { readdir, readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import { openConnection, openDatabase } from '../open-database.js';
import { run } from '../query-rows.js';

const NAME = 'blog-read-api migrate';
const QUERY_TIMEOUT_MS = 1_000;

export interface Migrations {
  /** Numbered .sql files, each of which runs once. All missing ones are one transaction. */
  readonly directory: URL;
  /** The schema of the list of applied migrations. */
  readonly schema: string;
  readonly table: string;
}

/** Readers and writers queue behind the requested lock for no longer than this. */
const LOCK_TIMEOUT = '1s';

/** Others lack characters, and SQL_ASCII does not say which ones it has. */
const NEEDED_ENCODING = 'UTF8';

const CHANGE_ENCODING =
  "the encoding of a database cannot be changed: create another one (create database … encoding 'UTF8' template template0), copy the " +
  'content with pg_dump and psql, and set the URL to it. From SQL_ASCII, pass the real encoding of the text to pg_dump with --encoding';

/** Nothing is wrong, and nothing was changed. */
export class MigratedByNewer extends Error {
  override readonly name = 'MigratedByNewer';

  constructor(migrations: readonly string[]) {
    super(`migrated by a newer version (${migrations.join(', ')}), so nothing is changed`);
  }
}

/** The extensions may be in a schema other than `public`. */
const FIND_EXTENSIONS = `
  select set_config('search_path', concat_ws(', ', 'public', string_agg(distinct quote_ident(nspname), ', ')), false)
  from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
  where extname in ('pg_trgm', 'btree_gin') and nspname <> 'public'`;

/** Applies the missing migrations and returns their names. */
export async function migrateDatabase(url: string, migrations: Migrations): Promise<readonly string[]> {
  const lock = await openConnection(url, NAME, 0);
  try {
    await requireEncoding(lock);
    // Waits for another run. A killed one leaves no lock.
    const name = `${migrations.schema}.${migrations.table}`;
    await lock.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    return await runPending(url, migrations);
  } finally {
    await lock.end();
  }
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

async function runPending(url: string, migrations: Migrations): Promise<readonly string[]> {
  const { directory, schema, table } = migrations;
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
    // This creates the list; what is read from it may have names that this version does not know.
    await database.migrate.list({ ...config, disableMigrationsListValidation: true });
    const { missing, newer, gone } = await migrationState(database, migrations);
    if (newer.length > 0 && missing.length === 0) throw new MigratedByNewer(newer);
    for (const statement of gone.values()) await run(database, statement);
    const [, taken]: [number, string[]] = await database.migrate.latest(config);
    return [...[...gone.keys()].map((name) => `${name} again`), ...taken];
  } finally {
    await database.destroy();
  }
}

export interface MigrationState {
  readonly missing: readonly string[];
  /** Those of a newer version, which do no harm to this one. */
  readonly newer: readonly string[];
  /** Indexes and extensions that were created, each with its statement. */
  readonly gone: ReadonlyMap<string, string>;
}

const CREATED = /^create (?:unique index|index|extension if not exists) (\w+)[^;]*;/gm;
const GONE = `
  select name from unnest(?::text[]) as created (name)
  where name not in (select relname from pg_class union all select extname from pg_extension)`;

export async function migrationState(
  database: Knex,
  { directory, schema, table }: Migrations,
): Promise<MigrationState> {
  const files = await sqlFilesIn(directory);
  const taken: readonly string[] = await database
    .withSchema(schema)
    .from(table)
    .pluck('name')
    .timeout(QUERY_TIMEOUT_MS);
  const newer = taken.filter((file) => !files.includes(file));
  // A newer version may do without them; no migration drops what an earlier one creates.
  const applied = newer.length > 0 ? [] : files.filter((file) => taken.includes(file));
  const texts = await Promise.all(applied.map((file) => readFile(new URL(file, directory), 'utf8')));
  const created = new Map(
    [...texts.join('').matchAll(CREATED)].map(([statement, name = '']) => [name, statement]),
  );
  const { rows }: { rows: { name: string }[] } = await database
    .raw(GONE, [[...created.keys()]])
    .timeout(QUERY_TIMEOUT_MS);
  const names = rows.map(({ name }) => name);
  return {
    missing: files.filter((file) => !taken.includes(file)),
    newer,
    gone: new Map([...created].filter(([name]) => names.includes(name))),
  };
}

async function sqlFilesIn(directory: URL): Promise<string[]> {
  return (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort();
}

class SqlFiles implements Knex.MigrationSource<string> {
  constructor(private readonly directory: URL) {}

  getMigrations(): Promise<string[]> {
    return sqlFilesIn(this.directory);
  }

  getMigrationName(file: string): string {
    return file;
  }

  async getMigration(file: string): Promise<Knex.Migration> {
    const sql = await readFile(new URL(file, this.directory), 'utf8');
    const down = () => {
      throw new Error('Migrations of this project go forward only.');
    };
    return { up: (transaction) => run(transaction, sql), down };
  }
}
