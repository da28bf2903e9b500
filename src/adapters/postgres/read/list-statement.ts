import type { BlogCriteria, BlogCut } from '../../../domain/ports/blog-reader.js';
import { type ContentStatement, OF_SHOWN_WEBSITES } from './content-statement.js';
import { categoryTerm, NO_TERM, tagTerm, websiteOfList } from './read-table.js';

/** Whether these criteria describe a list: see db/read/0001_read_tables.sql. */
export function isList({ categorySlug, tagSlug, foldedTitlePart }: BlogCriteria): boolean {
  return !foldedTitlePart && (categorySlug === null || tagSlug === null);
}

/** The ids of a page of a list, as `page`, and how many blogs the list has, as `total`. */
export function listStatement(
  organizationId: string,
  { websiteId, categorySlug, tagSlug }: BlogCriteria,
  { offset, limit }: BlogCut,
): ContentStatement {
  const ofWebsite = websiteId === null ? '' : 'and website_id = :websiteId';
  const entries = `"content_read"."list_entries" where "organization_id" = :organizationId
      and term = :term ${ofWebsite} and ${OF_SHOWN_WEBSITES}`;
  const hidden = websiteId === null ? '' : 'and website = :website';
  const sql = `
  -- The total of the list, without the blogs of hidden websites.
  counted as materialized (
    select coalesce((
        select blogs from "content_read"."list_totals" where "organization_id" = :organizationId and term = :term and website = :website
      ), 0) - coalesce((
        select sum(blogs)::bigint from "content_read"."list_totals" where "organization_id" = :organizationId and term = :term ${hidden}
          and website = any (array(
            select '=' || website_id from "content_read"."hidden_websites" where "organization_id" = :organizationId))
      ), 0) as total
  ),
  -- A page in the newer half of the list is read from the newest blog on, and any other one from the oldest blog on. The unused part has a limit
  -- of 0, so it reads nothing.
  from_newest as materialized (
    select id from ${entries} order by published_at desc, id desc
    offset :offset::bigint limit (select case when :offset::bigint <= total / 2 then :limit::bigint else 0 end from counted)
  ),
  from_oldest as materialized (
    select id from ${entries} order by published_at, id
    offset (select greatest(total - :offset::bigint - :limit::bigint, 0) from counted)
    limit (select case when :offset::bigint <= total / 2 then 0 else greatest(least(:limit::bigint, total - :offset::bigint), 0) end from counted)
  ),
  page as (select id from from_newest union all select id from from_oldest)`;
  const category = categorySlug === null ? NO_TERM : categoryTerm(categorySlug);
  const bindings = {
    organizationId,
    websiteId: websiteId ?? '',
    website: websiteOfList(websiteId),
    term: tagSlug === null ? category : tagTerm(tagSlug),
    offset,
    limit,
  };
  return { sql, bindings };
}
