import type { Knex } from 'knex';
import { type Migrations, sqlFilesIn } from './migrate-database.js';

const QUERY_TIMEOUT_MS = 1_000;

/** Newer migrations, unknown to this version, do no harm. */
export async function pendingMigrations(
  database: Knex,
  { directory, schema, table }: Migrations,
): Promise<readonly string[]> {
  const files = await sqlFilesIn(directory);
  const taken: readonly string[] = await database
    .withSchema(schema)
    .from(table)
    .pluck('name')
    .timeout(QUERY_TIMEOUT_MS);
  return files.filter((file) => !taken.includes(file));
}

/** The extensions that the migrations create. The title search needs them. */
const EXTENSIONS = ['btree_gin', 'pg_trgm'];

export async function missingExtensions(database: Knex): Promise<readonly string[]> {
  const extensions: readonly string[] = await database.from('pg_catalog.pg_extension').pluck('extname');
  return EXTENSIONS.filter((extension) => !extensions.includes(extension));
}
