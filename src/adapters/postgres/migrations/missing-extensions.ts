import type { Knex } from 'knex';

/** The extensions that the migrations create. The title search needs them. */
const EXTENSIONS = ['btree_gin', 'pg_trgm'];

export async function missingExtensions(database: Knex): Promise<readonly string[]> {
  const present: readonly string[] = await database.from('pg_catalog.pg_extension').pluck('extname');
  return EXTENSIONS.filter((extension) => !present.includes(extension));
}
