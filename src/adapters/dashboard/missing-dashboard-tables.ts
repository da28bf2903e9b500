import type { Knex } from 'knex';

/** All that this service reads of the dashboard's database. */
export const DASHBOARD_TABLES = [
  'organizations',
  'websites',
  'blogs',
  'categories',
  'tags',
  'blog_categories',
  'blog_tags',
  'api_keys',
];

/** Those of them that the database does not have. */
export async function missingDashboardTables(database: Knex): Promise<readonly string[]> {
  const present: readonly string[] = await database
    .from('pg_catalog.pg_tables')
    .where({ schemaname: 'public' })
    .pluck('tablename');
  return DASHBOARD_TABLES.filter((table) => !present.includes(table));
}
