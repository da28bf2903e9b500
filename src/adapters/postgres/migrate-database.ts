import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type pg from 'pg';
import { CHANGE_ENCODING, NEEDED_ENCODING } from './needed-encoding.js';
import { openConnection, openDatabase } from './open-database.js';

const NAME = 'blog-read-api migrate';

export interface Migrations {
  /**
   * Numbered .sql files; each runs once and is never edited afterwards. All that are missing are taken, or none. One that is named
   * `….concurrently.sql` runs outside of transactions, a statement at a time: what is taken with it then, is taken file by file.
   */
  readonly directory: URL;
  /** Where the list of those that ran is kept. */
  readonly schema: string;
  readonly table: string;
}

/** Readers and writers wait behind a lock that is asked for: not for longer than this, and then they go first. */
const LOCK_TIMEOUT = '500ms';
const PAUSE_MS = 300;
const ATTEMPTS = 5;
const LOCK_NOT_AVAILABLE = '55P03';
/** With the statement that a run left behind when it was killed: an index that is made concurrently waits for whoever waits for it. */
const DEADLOCK_DETECTED = '40P01';
const CONCURRENTLY = '.concurrently.sql';

/** Something that a migration has to change, and that somebody else keeps locked. */
export class TablesInUse extends Error {
  override readonly name = 'TablesInUse';
}

/** An operator may have put the extensions elsewhere than in `public`: their operator classes are found there. */
const FIND_EXTENSIONS = `
  select set_config('search_path', concat_ws(', ', 'public', string_agg(distinct quote_ident(nspname), ', ')), false)
  from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
  where extname in ('pg_trgm', 'btree_gin') and nspname <> 'public'`;

/** Brings a database up to date and answers the names of the migrations that it took. */
export async function migrateDatabase(url: string, migrations: Migrations): Promise<readonly string[]> {
  const lock = await openConnection(url, NAME);
  try {
    await requireEncoding(lock);
    await onlyRun(lock, `${migrations.schema}.${migrations.table}`);
    return await insist(() => takeMissing(url, migrations));
  } finally {
    await lock.end();
  }
}

/**
 * The lock ends with the connection, so that a killed run leaves none behind. It is asked for again and again: `create index concurrently`
 * waits for every statement that began before it, and so for one that would wait for this lock.
 */
async function onlyRun(client: pg.Client, name: string): Promise<void> {
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
    `The database "${name}" has the encoding ${encoding}, and ${NEEDED_ENCODING} is needed: ${CHANGE_ENCODING}.`,
  );
}

async function insist<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let n = 1; ; n++) {
    try {
      return await attempt();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK_DETECTED) throw error;
      if (n === ATTEMPTS) throw new TablesInUse('Somebody keeps a table locked', { cause: error });
    }
    await pause(PAUSE_MS);
  }
}

async function takeMissing(
  url: string,
  { directory, schema, table }: Migrations,
): Promise<readonly string[]> {
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
    // Whatever holds Knex's own lock is a run that was killed: a living one would hold ours.
    await database.migrate.forceFreeMigrationsLock(config);
    const [, taken]: [number, string[]] = await database.migrate.latest(config);
    return taken;
  } finally {
    await database.destroy();
  }
}

interface ConfiguredMigration extends Knex.Migration {
  readonly config?: { readonly transaction: boolean };
}

class SqlFiles implements Knex.MigrationSource<string> {
  constructor(private readonly directory: URL) {}

  async getMigrations(): Promise<string[]> {
    const files = await readdir(this.directory);
    return files.filter((file) => file.endsWith('.sql')).sort();
  }

  getMigrationName(file: string): string {
    return file;
  }

  async getMigration(file: string): Promise<ConfiguredMigration> {
    const sql = await readFile(new URL(file, this.directory), 'utf8');
    return file.endsWith(CONCURRENTLY)
      ? { up: (database) => runOneByOne(database, sql), down: refuseToGoBack, config: { transaction: false } }
      : { up: (transaction) => runVerbatim(transaction, [sql]), down: refuseToGoBack };
  }
}

/** It holds up neither readers nor writers, and so may wait for the end of all transactions that go on. */
async function runOneByOne(database: Knex, sql: string): Promise<void> {
  const statements = sql.split(/;\s*$/m).filter((statement) => statement.trim() !== '');
  await database.raw('set lock_timeout = 0');
  try {
    await runVerbatim(database, statements);
  } finally {
    await database.raw(`set lock_timeout = '${LOCK_TIMEOUT}'`);
  }
}

/** On the driver's own connection: Knex would take a `?` for a binding, and has no way to write one behind a backslash. */
async function runVerbatim(database: Knex, statements: readonly string[]): Promise<void> {
  const connection: pg.ClientBase = await database.client.acquireConnection();
  try {
    for (const statement of statements) await connection.query(statement);
  } finally {
    await database.client.releaseConnection(connection);
  }
}

function refuseToGoBack(): never {
  throw new Error('Migrations of this project go forward only.');
}
