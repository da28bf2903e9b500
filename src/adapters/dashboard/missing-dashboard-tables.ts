import type { Knex } from 'knex';

const TABLES = [
  'organizations',
  'websites',
  'blogs',
  'categories',
  'tags',
  'blog_categories',
  'blog_tags',
  'api_keys',
];

/** The tables that this service reads and that the database does not have. */
export async function missingDashboardTables(database: Knex): Promise<readonly string[]> {
  const present: readonly string[] = await database
    .from('pg_catalog.pg_tables')
    .where({ schemaname: 'public' })
    .pluck('tablename');
  return TABLES.filter((table) => !present.includes(table));
}
