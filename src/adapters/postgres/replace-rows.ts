import type { ReadTable } from './read-table.js';

/**
 * A long value is stored outside of its row. It is only kept if the row is assigned the same stored value: an equal new one would be
 * written again.
 */
const LONG = 'content_html';
const KEPT_IF_SAME = `case when present.${LONG} = excluded.${LONG} then present.${LONG} else excluded.${LONG} end`;

const QUARANTINE = `
    refused as (
      select * from json_to_recordset(:refused::json) as refused (id text, reason text)
    ), set_aside as (
      insert into content_read.quarantined_rows as present (kind, id, reason) select :kind, id, reason from refused
      on conflict (kind, md5(id)) do update set reason = excluded.reason, tried_at = excluded.tried_at
    ), taken_back as (
      delete from content_read.quarantined_rows as present
      where present.kind = :kind and present.id = any(:ids::text[])
        and not exists (select from refused where refused.id = present.id)
    )`;

/** Quarantines what is refused, and changes nothing else of these ids. */
export const QUARANTINE_ROWS = `with ${QUARANTINE} select`;

/** Whether any of these ids has a row, with one look-up each. */
export function anyRowExists({ name }: ReadTable<never>): string {
  return `
    select exists (select from unnest(:ids::text[]) as asked (id) cross join lateral (
      select from content_read.${name} as stored where stored.id = asked.id limit 1) as found) as any_row_exists`;
}

/** A single statement that writes rows that differ, deletes ids without a row and quarantines refused ones. Returns what changed. */
export function replaceRows<Row>({ name, columns }: ReadTable<Row>): string {
  const names = Object.keys(columns);
  const list = names.join(', ');
  const types = Object.entries(columns).map(([column, [type]]) => `${column} ${type}`);
  const website = names.includes('website_id') ? 'present.website_id' : 'null::text';
  const updates = names.map(
    (column) => `${column} = ${column === LONG ? KEPT_IF_SAME : `excluded.${column}`}`,
  );
  return `
    with incoming as (
      select * from json_to_recordset(:records::json) as incoming (${types.join(', ')})
    ), written as (
      insert into content_read.${name} as present (${list}) select ${list} from incoming
      on conflict (organization_id, id) do update set ${updates.join(', ')}
      where (${names.map((column) => `present.${column}`).join(', ')})
        is distinct from (${names.map((column) => `excluded.${column}`).join(', ')})
      returning organization_id, id, ${website} as website_id
    ), deleted as (
      -- By address, and one index look-up an id: as a plain condition it reads the whole table wherever statistics are missing, and
      -- while the tables are filled for the first time they are.
      delete from content_read.${name} as present where present.ctid = any(array(
        select found.ctid from unnest(:ids::text[]) as asked (id) cross join lateral (
          select ctid, organization_id, id from content_read.${name} as stored where stored.id = asked.id offset 0
        ) as found
        -- A list that is made once: "not exists" looked through all that is incoming for each id.
        where (found.organization_id, found.id) not in (select incoming.organization_id, incoming.id from incoming)
      ))
      returning organization_id, id, ${website} as website_id
    ), ${QUARANTINE}
    select organization_id as "organizationId", id, website_id as "websiteId" from written
    union all select organization_id, id, website_id from deleted`;
}
