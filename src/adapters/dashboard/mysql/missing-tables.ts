import type { Knex } from 'knex';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import { queryRows } from './read/query-rows.js';
import { text } from './read/quoted.js';

/** Captured tables that the database lacks, or that this user may not see. */
export async function missingTables(
  database: Knex,
  { captures }: DashboardMapping,
): Promise<readonly string[]> {
  const tables = captures.map(({ table }) => table);
  const rows = await queryRows<{ name: string }>(
    database,
    `select table_name as name from information_schema.tables where table_schema = database() and table_name in (${tables.map(text).join(', ')})`,
  );
  const present = new Set(rows.map(({ name }) => name));
  return tables.filter((table) => !present.has(table));
}
