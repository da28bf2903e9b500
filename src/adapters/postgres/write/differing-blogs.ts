import { READ_TABLES, type ReadTable, TITLES } from '../read/read-table.js';
import { DUE_AND_HELD_ENTRIES } from './replace-list-entries.js';

const BLOGS = READ_TABLES.blogs;

/** A value of a stored row, computed as in the dashboard's database. */
function digested(column: string): string {
  return column === 'content_html' ? `md5(convert_to(held.content_html, 'UTF8'))` : `held.${column}`;
}

function incoming(records: string, { columns }: ReadTable<never>): string {
  const types = Object.entries(columns).map(([column, [type]]) => `${column} ${type}`);
  return `select * from json_to_recordset(:${records}::json) as incoming (${types.join(', ')})`;
}

function differing(rows: string, { name, columns }: ReadTable<never>): string {
  const names = Object.keys(columns);
  return `
    select id from (select * from content_read.${name} where id = any(:ids::text[])) as held full join ${rows} using (id)
    where (${names.map(digested).join(', ')}) is distinct from (${names.map((column) => `${rows}.${column}`).join(', ')})`;
}

/** Those of `:ids` of which any table differs from `:records`, which has digests, and `:titles`. */
export const DIFFERING_BLOGS = `
  with blog as (${incoming('records', BLOGS)}), title as (${incoming('titles', TITLES)}), ${DUE_AND_HELD_ENTRIES}
  ${differing('blog', BLOGS)}
  union ${differing('title', TITLES)}
  union (select id from due full join held using (organization_id, term, website_id, published_at, id) where held.place is null or due.id is null)
  union select id from content_read.quarantined_rows where kind = 'blogs' and id = any(:ids::text[])`;
