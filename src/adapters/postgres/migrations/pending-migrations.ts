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
