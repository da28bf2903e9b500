import { READ_TABLES } from './read-table.js';

const { name, columns } = READ_TABLES.blogs;
const names = Object.keys(columns);
const types = Object.entries(columns).map(([column, [type]]) => `${column} ${type}`);

/** The digest of a column of `held`, computed as in the dashboard's database. */
function digested(column: string): string {
  return column === 'content_html' ? `md5(convert_to(held.content_html, 'UTF8'))` : `held.${column}`;
}

/** Those of `:ids` whose stored rows differ from these records, which have digests instead of contents. One index look-up for each. */
export const DIFFERING_BLOGS = `
  with incoming as (
    select * from json_to_recordset(:records::json) as incoming (${types.join(', ')})
  ), compared as (
    select asked.id, incoming.id is not null as is_shown, found.rows, found.same
    from unnest(:ids::text[]) as asked (id)
      left join incoming on incoming.id = asked.id
      cross join lateral (
        select count(*) as rows, count(*) filter (where
          (${names.map(digested).join(', ')}) is not distinct from (${names.map((column) => `incoming.${column}`).join(', ')})) as same
        from content_read.${name} as held where held.id = asked.id
      ) as found
  )
  select id from compared where rows <> same or same <> case when is_shown then 1 else 0 end
  union
  select id from content_read.quarantined_rows where kind = 'blogs' and id = any(:ids::text[])`;
