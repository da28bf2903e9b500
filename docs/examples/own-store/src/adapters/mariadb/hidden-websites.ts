import type { WebsiteHolder, WebsiteOwner } from 'blog-content-read-api/ports';
import type { Session } from './database.js';
import { updateJobs, waitingJobs } from './update-jobs.js';

const HOLDERS = `
  select distinct organization_id as organizationId from blog_entries where website_id = :websiteId
  union select distinct organization_id from categories where website_id = :websiteId
  union select distinct organization_id from tags where website_id = :websiteId`;

/** Hidden websites that have no rows left and whose job, which rewrites the rows that show their terms, is finished, for all rows. */
const SETTLED = `
  select organization_id as organizationId, website_id as websiteId from hidden_websites as hidden
  where not exists (select 1 from blog_entries as row where row.website_id = hidden.website_id and row.organization_id = hidden.organization_id)
    and not exists (select 1 from categories as row where row.website_id = hidden.website_id and row.organization_id = hidden.organization_id)
    and not exists (select 1 from tags as row where row.website_id = hidden.website_id and row.organization_id = hidden.organization_id)
    and not exists (select 1 from sync_jobs where sync_jobs.id = hidden.until_job)
    and not exists (select 1 from unshown_rows as unshown join blogs using (id) where unshown.kind = 'blogs' and blogs.organization_id = hidden.organization_id)
    and not exists (select 1 from unshown_rows as unshown join categories using (id) where unshown.kind = 'categories' and categories.organization_id = hidden.organization_id)`;

/**
 * Shows websites to their owners, and hides them from all others that have rows of them, or had until now. Returns the organizations for
 * which this made a difference. A newly hidden website stays hidden until its job is finished. This function adds that job, unless it is
 * waiting already.
 */
export async function hideWebsites(
  session: Session,
  owners: readonly WebsiteOwner[],
  former: readonly WebsiteHolder[],
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const { websiteId, organizationId } of owners) {
    const shown = await session.execute(
      'delete from hidden_websites where website_id = :websiteId and organization_id = :organizationId',
      { websiteId, organizationId },
    );
    if (shown > 0 && organizationId !== null) changed.push(organizationId);
    const holders = await session.query<{ organizationId: string }>(HOLDERS, { websiteId });
    const others = [...holders, ...former.filter((each) => each.websiteId === websiteId)].filter(
      (each) => each.organizationId !== organizationId,
    );
    changed.push(...(await hideFrom(session, websiteId, new Set(others.map((each) => each.organizationId)))));
  }
  return changed;
}

async function hideFrom(
  session: Session,
  websiteId: string,
  organizationIds: ReadonlySet<string>,
): Promise<readonly string[]> {
  const hidden: string[] = [];
  for (const organizationId of organizationIds) {
    const isNew = await session.execute(
      'insert ignore into hidden_websites (organization_id, website_id) values (:organizationId, :websiteId)',
      { organizationId, websiteId },
    );
    if (isNew > 0) hidden.push(organizationId);
  }
  if (hidden.length === 0) return hidden;
  const scope = { kind: 'websites', keys: [websiteId] } as const;
  await updateJobs(session, [{ kind: 'add', scope }]);
  const waiting = (await waitingJobs(session, scope)).find(({ keys }) => keys?.includes(websiteId));
  await session.execute(
    'update hidden_websites set until_job = :untilJob where website_id = :websiteId and until_job is null',
    { untilJob: waiting?.id ?? null, websiteId },
  );
  return hidden;
}

/** Deletes settled hidden websites. */
export async function deleteSettledWebsites(session: Session): Promise<void> {
  const settled = await session.query<WebsiteHolder>(SETTLED);
  for (const { organizationId, websiteId } of settled) {
    await session.execute(
      'delete from hidden_websites where organization_id = :organizationId and website_id = :websiteId',
      { organizationId, websiteId },
    );
  }
}
