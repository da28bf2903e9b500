import { readdir } from 'node:fs/promises';
import type { Knex } from 'knex';
import type { Migrations } from './migrate-database.js';

const QUERY_TIMEOUT_MS = 1_000;

/** Migrations that the database lacks. It may have newer ones that an older version of the program does not know. */
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
