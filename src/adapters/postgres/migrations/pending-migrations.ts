import { readdir } from 'node:fs/promises';
import type { Knex } from 'knex';
import type { Migrations } from './migrate-database.js';

const QUERY_TIMEOUT_MS = 1_000;

/** Newer migrations, unknown to this version, do no harm. */
export async function pendingMigrations(
  database: Knex,
  { directory, schema, table }: Migrations,
): Promise<readonly string[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort();
  const taken: readonly string[] = await database
    .withSchema(schema)
    .from(table)
    .pluck('name')
    .timeout(QUERY_TIMEOUT_MS);
  return files.filter((file) => !taken.includes(file));
}
