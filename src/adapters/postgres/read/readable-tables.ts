import type { Knex } from 'knex';

/** The tables that the API reads, apart from the generations of the organizations. */
export const READABLE_TABLES = [
  'api_keys',
  'categories',
  'tags',
  'blogs',
  'list_entries',
  'list_totals',
  'titles',
  'hidden_websites',
];

/** A standby may hold the lock of a change whose end it never received. */
const CAN_BE_READ = READABLE_TABLES.map(
  (table) => `not exists (select from content_read.${table} where false)`,
);

const NEWEST = `select coalesce(max(generation), 0) as newest from content_read.organizations where ${CAN_BE_READ.join(' and ')}`;

/** The highest generation of any organization. It is only returned if all tables can be read. */
export async function newestReadableGeneration(database: Knex): Promise<number> {
  const { rows }: { rows: readonly { readonly newest: string }[] } = await database.raw(NEWEST);
  return Number(rows[0]?.newest);
}
