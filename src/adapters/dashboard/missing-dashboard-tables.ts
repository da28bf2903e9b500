import type { Knex } from 'knex';
import { CAPTURED_TABLES } from './captured-tables.js';

export const DASHBOARD_TABLES = Object.keys(CAPTURED_TABLES);

/** Those of them that the database does not have. */
export async function missingDashboardTables(database: Knex): Promise<readonly string[]> {
  const present: readonly string[] = await database
    .from('pg_catalog.pg_tables')
    .where({ schemaname: 'public' })
    .pluck('tablename');
  return DASHBOARD_TABLES.filter((table) => !present.includes(table));
}
