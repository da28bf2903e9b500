import type { Knex } from 'knex';

/** What the API reads, beside the generations of the organizations. */
export const READABLE_TABLES = [
  'api_keys',
  'categories',
  'tags',
  'blogs',
  'blog_shelves',
  'term_entries',
  'blog_entries',
  'title_packs',
  'pack_counts',
  'hidden_websites',
];

/** Each is locked as a read of it would be, and no row of it is looked at: a standby may keep the lock of a change whose end it never got. */
const CAN_BE_READ = READABLE_TABLES.map(
  (table) => `not exists (select from content_read.${table} where false)`,
);

const NEWEST = `select coalesce(max(generation), 0) as newest from content_read.organizations where ${CAN_BE_READ.join(' and ')}`;

/** The highest generation that any organization has, where all of its tables can be read. */
export async function newestReadableGeneration(database: Knex): Promise<number> {
  const { rows }: { rows: readonly { readonly newest: string }[] } = await database.raw(NEWEST);
  return Number(rows[0]?.newest);
}
