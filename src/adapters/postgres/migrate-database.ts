import { readdir, readFile } from 'node:fs/promises';
import knex, { type Knex } from 'knex';
import pg from 'pg';

export interface Migrations {
  /** Numbered .sql files; each runs once and is never edited afterwards. All that are missing are taken, or none. */
  readonly directory: URL;
  /** Where the list of those that ran is kept. */
  readonly schema: string;
  readonly table: string;
}

/** Brings a database up to date and answers the names of the migrations that it took. */
export async function migrateDatabase(url: string, migrations: Migrations): Promise<readonly string[]> {
  const lock = new pg.Client({ connectionString: url });
  await lock.connect();
  try {
    // Ends with the connection, so that a killed run leaves no lock behind.
    await lock.query('select pg_advisory_lock(hashtextextended($1, 0))', [
      `${migrations.schema}.${migrations.table}`,
    ]);
    return await takeMissing(url, migrations);
  } finally {
    await lock.end();
  }
}

async function takeMissing(
  url: string,
  { directory, schema, table }: Migrations,
): Promise<readonly string[]> {
  const database = knex({ client: 'pg', connection: url, pool: { min: 0, max: 1 } });
  const config = { migrationSource: new SqlFiles(directory), schemaName: schema, tableName: table };
  try {
    await database.raw('create schema if not exists ??', [schema]);
    // Whatever holds Knex's own lock is a run that was killed: a living one would hold ours.
    await database.migrate.forceFreeMigrationsLock(config);
    const [, taken]: [number, string[]] = await database.migrate.latest(config);
    return taken;
  } finally {
    await database.destroy();
  }
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

  async getMigration(file: string): Promise<Knex.Migration> {
    const sql = await readFile(new URL(file, this.directory), 'utf8');
    return { up: (transaction) => runVerbatim(transaction, sql), down: refuseToGoBack };
  }
}

/** On the driver's own connection: Knex would take a `?` for a binding, and has no way to write one behind a backslash. */
async function runVerbatim(transaction: Knex, sql: string): Promise<void> {
  const connection: pg.ClientBase = await transaction.client.acquireConnection();
  await connection.query(sql);
}

function refuseToGoBack(): never {
  throw new Error('Migrations of this project go forward only.');
}
