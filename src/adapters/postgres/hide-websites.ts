import type { Knex } from 'knex';
import type { WebsiteOwner } from '../../domain/model/read-model.js';

/** Hides what organizations have of websites that are not theirs, and shows again what is; answers for which that made a difference. */
const HIDE = `
  with asked as (
    select * from json_to_recordset(:owners::json) as asked ("websiteId" text, "organizationId" text)
  ), held as (
    select "websiteId", "organizationId", shelf.organization_id
    from asked join content_read.blog_shelves as shelf on shelf.website = '=' || "websiteId" and shelf.term = ''
    union
    select "websiteId", "organizationId", category.organization_id
    from asked join content_read.categories as category on category.website_id = "websiteId"
    union
    select "websiteId", "organizationId", tag.organization_id
    from asked join content_read.tags as tag on tag.website_id = "websiteId"
  ), foreign_rows as (
    select organization_id, "websiteId" as website_id from held where "organizationId" is distinct from organization_id
  ), shown as (
    delete from content_read.hidden_websites as hidden using asked
    where hidden.website_id = "websiteId" and not exists (
      select from foreign_rows
      where (foreign_rows.organization_id, foreign_rows.website_id) = (hidden.organization_id, hidden.website_id))
    returning hidden.organization_id
  ), hidden as (
    insert into content_read.hidden_websites (organization_id, website_id) select organization_id, website_id from foreign_rows
    on conflict do nothing returning organization_id
  )
  select organization_id from shown union select organization_id from hidden`;

/** Nothing is left of them: the tables need no help any more. */
const FORGET_EMPTY = `
  delete from content_read.hidden_websites as hidden
  where not exists (select from content_read.blog_shelves as shelf
      where shelf.organization_id = hidden.organization_id and shelf.website = '=' || hidden.website_id)
    and not exists (select from content_read.categories as category
      where category.organization_id = hidden.organization_id and category.website_id = hidden.website_id)
    and not exists (select from content_read.tags as tag
      where tag.organization_id = hidden.organization_id and tag.website_id = hidden.website_id)`;

export async function hideWebsites(
  transaction: Knex.Transaction,
  owners: readonly WebsiteOwner[],
): Promise<readonly string[]> {
  if (owners.length === 0) return [];
  const { rows }: { rows: { organization_id: string }[] } = await transaction.raw(HIDE, {
    owners: JSON.stringify(owners),
  });
  return rows.map((row) => row.organization_id);
}

export async function forgetEmptyWebsites(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw(FORGET_EMPTY);
}
