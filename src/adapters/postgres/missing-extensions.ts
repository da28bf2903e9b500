import type { Knex } from 'knex';

/** Those that the migrations create: the search for titles stands on them. */
const EXTENSIONS = ['btree_gin', 'pg_trgm'];

export async function missingExtensions(database: Knex): Promise<readonly string[]> {
  const present: readonly string[] = await database.from('pg_catalog.pg_extension').pluck('extname');
  return EXTENSIONS.filter((extension) => !present.includes(extension));
}
