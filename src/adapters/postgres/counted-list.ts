import type { Knex } from 'knex';
import type { BlogCriteria, BlogCut } from '../../domain/ports/blog-reader.js';
import { type BlogList, NEWEST_FIRST } from './blog-list.js';
import type { OrganizationTables } from './organization-tables.js';

const FROM_NEWEST = 'over (order by from_published_at desc, from_id desc rows unbounded preceding)';

/** Whether these criteria describe a counted list. */
export function isCountedList({ categorySlug, tagSlug, foldedTitlePart }: BlogCriteria): boolean {
  return foldedTitlePart === null && (categorySlug === null || tagSlug === null);
}

/**
 * Lists whose blogs are counted beforehand, and whose far pages are reached without a walk: see 0004_blog_shelves.sql and
 * 0015_term_entries.sql.
 */
export function countedList(
  database: Knex,
  tables: OrganizationTables,
  criteria: BlogCriteria,
  { offset, limit }: BlogCut,
): BlogList {
  const all = tables.listCounts(criteria).sum('blogs');
  const hidden = tables.hiddenListCounts(criteria).sum('blogs');
  const blocks = tables.listCounts(criteria).select(
    'blogs',
    'from_published_at',
    'from_id',
    database.raw(`sum(blogs::integer) ${FROM_NEWEST} as through`),
    // A block ends where the next newer block begins.
    database.raw(`lag(from_published_at, 1, 'infinity') ${FROM_NEWEST} as to_published_at`),
    database.raw(`lag(from_id, 1, '') ${FROM_NEWEST} as to_id`),
  );
  // Hidden blogs are still in the list. If there are any, the page is reached by a walk from the newest blog.
  const start = database.raw(
    `select 0 as blogs, 0 as through, 'infinity'::timestamptz as to_published_at, '' as to_id where exists (?)`,
    [tables.hiddenWebsites().select('website_id')],
  );
  const nearest = database
    .select('blogs', 'through', 'to_published_at', 'to_id')
    .from(blocks.as('blocks'))
    .where('through', '>', offset)
    // Blocks are added up in this order, and only as many as needed.
    .orderByRaw('from_published_at desc, from_id desc')
    .limit(1);
  const skipped = database.raw('(select ? - (through - blogs) from block)::bigint', [offset]);
  return {
    parts: [['block', database.raw('? union all (?) limit 1', [start, nearest])]],
    // If nothing is hidden, the plan for hidden blogs costs nothing.
    total: database.raw('coalesce((?), 0) - case when exists (?) then coalesce((?), 0) else 0 end', [
      all,
      tables.hiddenWebsites().select('website_id'),
      hidden,
    ]),
    ids: tables
      .entriesOfList(criteria)
      .select('id')
      .whereRaw('(published_at, id) < ((select to_published_at from block), (select to_id from block))')
      .orderBy(NEWEST_FIRST)
      .offset(skipped as unknown as number)
      .limit(limit),
  };
}
