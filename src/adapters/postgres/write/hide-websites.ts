import type { Knex } from 'knex';
import type { ReadModelSlice, WebsiteHolder, WebsiteOwner } from '../../../domain/model/read-model.js';
import { websiteOfList } from '../read-tables.js';
import type { ChangedRow } from './replace-slice.js';
import { updateJobs } from './update-jobs.js';

/** Returns the organizations, other than the owners, for which hiding made a difference. */
const HIDE = `
  with asked as (
    select * from json_to_recordset(:owners::json) as asked ("websiteId" text, "organizationId" text)
  ), held as (
    select "websiteId", "organizationId", counted.organization_id
    from asked join content_read.list_totals as counted
      on counted.website = ${websiteOfList('"websiteId"')} and counted.term = '' and counted.blogs <> 0
    union
    select "websiteId", "organizationId", category.organization_id
    from asked join content_read.categories as category on category.website_id = "websiteId"
    union
    select "websiteId", "organizationId", tag.organization_id
    from asked join content_read.tags as tag on tag.website_id = "websiteId"
    union
    select "websiteId", asked."organizationId", former."organizationId"
    from asked join json_to_recordset(:former::json) as former ("websiteId" text, "organizationId" text) using ("websiteId")
  ), shown as (
    delete from content_read.hidden_websites as hidden using asked
    where (hidden.organization_id, hidden.website_id) = ("organizationId", "websiteId")
    returning hidden.organization_id
  ), hidden as (
    insert into content_read.hidden_websites (organization_id, website_id)
    select organization_id, "websiteId" from held where "organizationId" is distinct from organization_id
    on conflict do nothing returning organization_id, website_id
  )
  select organization_id, null as website_id from shown union select organization_id, website_id from hidden`;

const SET_UNTIL_JOB = `
  update content_read.hidden_websites as hidden set until_job = job.id
  from content_read.sync_jobs as job
  where hidden.website_id = any(:websiteIds::text[]) and hidden.until_job is null
    and job.scope = 'websites' and job.progress is null and job.finished_at is null and hidden.website_id = any(job.keys)`;

/** Without rows, and without terms that any row shows, their entries have no effect. */
const DELETE_SETTLED = `
  delete from content_read.hidden_websites as hidden
  where not exists (select from content_read.list_totals as counted
      where counted.organization_id = hidden.organization_id and counted.term = '' and counted.website = ${websiteOfList('hidden.website_id')}
        and counted.blogs <> 0)
    and not exists (select from content_read.categories as category
      where category.organization_id = hidden.organization_id and category.website_id = hidden.website_id)
    and not exists (select from content_read.tags as tag
      where tag.organization_id = hidden.organization_id and tag.website_id = hidden.website_id)
    and not exists (select from content_read.sync_jobs as job where job.id = hidden.until_job and job.finished_at is null)
    and not exists (select from content_read.unshown_rows as row join content_read.blogs as blog using (id)
      where row.kind = 'blogs' and blog.organization_id = hidden.organization_id)
    and not exists (select from content_read.unshown_rows as row join content_read.categories as category using (id)
      where row.kind = 'categories' and category.organization_id = hidden.organization_id)`;

/** Hidden until the job that this adds is done; a waiting job is not added again. */
export async function hideWebsites(
  transaction: Knex.Transaction,
  reported: readonly WebsiteOwner[],
  slices: readonly ReadModelSlice[],
  changes: readonly ChangedRow[],
): Promise<readonly string[]> {
  const moved = movedIn(slices, changes);
  const owners = [...reported, ...moved.owners];
  if (owners.length === 0) return [];
  const { rows }: { rows: { organization_id: string; website_id: string | null }[] } = await transaction.raw(
    HIDE,
    { owners: JSON.stringify(owners), former: JSON.stringify(moved.former) },
  );
  const websiteIds = [...new Set(rows.flatMap((row) => row.website_id ?? []))];
  if (websiteIds.length > 0) {
    await updateJobs(transaction, [{ kind: 'add', scope: { kind: 'websites', keys: websiteIds } }], 0);
    await transaction.raw(SET_UNTIL_JOB, { websiteIds });
  }
  return rows.map((row) => row.organization_id);
}

export async function deleteSettledHiddenWebsites(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw(DELETE_SETTLED);
}

/**
 * A row that came from another organization shows that its website did, even unreported. What the
 * former owner still has of it is hidden then.
 */
function movedIn(slices: readonly ReadModelSlice[], changes: readonly ChangedRow[]) {
  const byRow = new Map<string, ChangedRow[]>();
  for (const change of changes) {
    const row = `${change.kind} ${change.id}`;
    byRow.set(row, [...(byRow.get(row) ?? []), change]);
  }
  const owners = new Map<string, WebsiteOwner>();
  const former = new Map<string, WebsiteHolder>();
  for (const { kind, rows } of slices) {
    for (const row of rows) {
      if (!('websiteId' in row)) continue;
      const { websiteId, organizationId } = row;
      for (const before of byRow.get(`${kind} ${row.id}`) ?? []) {
        if (before.organizationId === organizationId) continue;
        owners.set(websiteId, { websiteId, organizationId });
        // Otherwise only the row itself moved to another website.
        if (before.websiteId !== websiteId) continue;
        former.set(JSON.stringify([websiteId, before.organizationId]), {
          websiteId,
          organizationId: before.organizationId,
        });
      }
    }
  }
  return { owners: [...owners.values()], former: [...former.values()] };
}
