import type { BlogCriteria, BlogCut } from '../../../domain/ports/blog-reader.js';
import { type ContentStatement, OF_SHOWN_WEBSITES } from './content-statement.js';
import { categoryTerm, tagTerm } from './read-table.js';

/** In any locale, the index on titles finds this much; for shorter text each title is read. */
const INDEXED = /[a-z0-9]{3}/;

/** PostgreSQL uses no index for `is true`, and would read all of this one. */
const NOT_BY_INDEX = '(folded_title like :part) is true';

/** So few blogs are sorted at once. */
const FEW = 10_000;

const DAY = `(published_at at time zone 'UTC')::date`;

/** A page of ids as `page`, and how many blogs match as `total`. */
export function searchStatement(
  organizationId: string,
  { websiteId, categorySlug, tagSlug, foldedTitlePart }: BlogCriteria,
  { offset, limit }: BlogCut,
): ContentStatement {
  const terms = [
    ...(categorySlug === null ? [] : [categoryTerm(categorySlug)]),
    ...(tagSlug === null ? [] : [tagTerm(tagSlug)]),
  ];
  const part = foldedTitlePart ?? '';
  const isIndexed = INDEXED.test(part);
  const conditions = [
    ...(websiteId === null ? [] : ['website_id = :websiteId']),
    ...(terms.length === 0 ? [] : ['terms @> :terms::text[]']),
    ...(part === '' ? [] : [isIndexed ? 'folded_title like :part' : NOT_BY_INDEX]),
    OF_SHOWN_WEBSITES,
  ];
  const found = `"content_read"."titles" where "organization_id" = :organizationId and ${conditions.join(' and ')}`;
  const sql = `
  -- What the search finds, counted by the day of publication: many blogs are neither stored nor sorted for that.
  days as materialized (
    select ${DAY} as day, count(*) as blogs from ${found} group by 1
  ),
  counted as materialized (
    select coalesce(sum(blogs), 0)::bigint as total from days
  ),
  -- How many of these blogs are newer than those of a day.
  places as materialized (
    select day, blogs, sum(blogs) over (order by day desc) - blogs as newer from days
  ),
  -- The days of the page.
  near as materialized (
    select min(day) as first, max(day) as last, min(newer)::bigint as newer from places where newer < :offset::bigint + :limit::bigint and newer + blogs > :offset::bigint
  ),
  -- If few blogs are found, all of them are sorted. Otherwise, only those of these days. The other part is not executed.
  few as materialized (
    select published_at, id from ${found} and (select total <= ${FEW} from counted)
  ),
  many as materialized (
    select published_at, id from ${found} and (select total > ${FEW} from counted)
      and ${DAY} between (select first from near) and (select last from near)
  ),
  page as (
    (select id from few order by published_at desc, id desc offset :offset::bigint limit :limit::bigint)
    union all
    (select id from many order by published_at desc, id desc offset :offset::bigint - (select newer from near) limit :limit::bigint)
  )`;
  const bindings = {
    organizationId,
    websiteId: websiteId ?? '',
    terms,
    part: `%${part.replace(/[\\%_]/g, '\\$&')}%`,
    offset,
    limit,
  };
  return { sql, bindings };
}
