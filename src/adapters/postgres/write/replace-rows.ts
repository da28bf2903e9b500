import type { ReadTable } from '../read/read-table.js';

/** Stored outside of its row, and kept only if the same stored value is assigned again. */
const LONG = 'content_html';
const KEPT_IF_SAME = `case when present.${LONG} = excluded.${LONG} then present.${LONG} else excluded.${LONG} end`;

/** Quarantines what is refused, and takes back the other ids. */
export const QUARANTINE_ROWS = `
  with refused as (
    select * from json_to_recordset(:refused::json) as refused (id text, reason text)
  ), quarantined as (
    insert into content_read.quarantined_rows as present (kind, id, reason) select :kind, id, reason from refused
    on conflict (kind, md5(id)) do update set reason = excluded.reason, tried_at = excluded.tried_at
  )
  delete from content_read.quarantined_rows
  where kind = :kind and id = any(:ids::text[]) and id not in (select id from refused)`;

/** Returns what changed: of a row that changed hands, the former one as well. */
export function replaceRows<Row>({ name, columns }: ReadTable<Row>): string {
  const names = Object.keys(columns);
  const list = names.join(', ');
  const types = Object.entries(columns).map(([column, [type]]) => `${column} ${type}`);
  const updates = names.map(
    (column) => `${column} = ${column === LONG ? KEPT_IF_SAME : `excluded.${column}`}`,
  );
  const changed = names.includes('website_id')
    ? 'organization_id, id, website_id'
    : 'organization_id, id, null::text as website_id';
  return `
    with incoming as (
      select * from json_to_recordset(:records::json) as incoming (${types.join(', ')})
    ), held as materialized (
      -- One look-up for each id, whatever the statistics say.
      select stored.* from unnest(:ids::text[]) as given (key) cross join lateral (
        select ${changed} from content_read.${name} where id = given.key offset 0) as stored
    ), written as (
      insert into content_read.${name} as present (${list}) select ${list} from incoming
      on conflict (id) do update set ${updates.join(', ')}
      where (${names.map((column) => `present.${column}`).join(', ')})
        is distinct from (${names.map((column) => `excluded.${column}`).join(', ')})
      returning ${changed}
    ), deleted as (
      delete from content_read.${name} where id = any(array(select id from held where id not in (select id from incoming)))
      returning ${changed}
    )
    select organization_id as "organizationId", id, website_id as "websiteId" from written
    union all select * from deleted
    union all select held.* from held join written using (id) where held.organization_id <> written.organization_id`;
}
