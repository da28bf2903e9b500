import type { Knex } from 'knex';
import type { BlogCriteria } from '../../domain/model/blog-criteria.js';
import type { BlogCut } from '../../domain/ports/blog-reader.js';
import { OrganizationTables, ofWebsite } from './organization-tables.js';

const NEWEST_FIRST = [
  { column: 'published_at', order: 'desc' },
  { column: 'id', order: 'desc' },
];
const FROM_NEWEST = 'over (order by from_published_at desc, from_id desc)';

/** The blogs that match. What stands on a shelf is not counted, and its far pages are not walked to: see 0004_blog_shelves.sql. */
export class BlogList {
  readonly #tables: OrganizationTables;

  constructor(
    private readonly database: Knex,
    organizationId: string,
    private readonly criteria: BlogCriteria,
  ) {
    this.#tables = new OrganizationTables(database, organizationId);
  }

  total(): Knex.QueryBuilder {
    const { categorySlug, tagSlug, foldedTitlePart } = this.criteria;
    const isShelf = foldedTitlePart === null && (categorySlug === null || tagSlug === null);
    if (!isShelf) return this.#matching().count({ total: '*' });
    const all = this.#tables.blocksOfShelf(this.criteria).sum('blogs');
    const hidden = this.#tables.hiddenBlocksOfShelf(this.criteria).sum('blogs');
    return this.database.select(
      this.database.raw('coalesce((?), 0) - coalesce((?), 0) as total', [all, hidden]),
    );
  }

  page({ offset, limit }: BlogCut): Knex.QueryBuilder {
    const { categorySlug, tagSlug, foldedTitlePart } = this.criteria;
    const isCutIntoBlocks = foldedTitlePart === null && categorySlug === null && tagSlug === null;
    const page = this.#matching().orderBy(NEWEST_FIRST).limit(limit);
    return isCutIntoBlocks ? this.#fromItsBlock(page, offset) : page.offset(offset);
  }

  #matching(): Knex.QueryBuilder {
    const { websiteId, categorySlug, tagSlug, foldedTitlePart } = this.criteria;
    const rows = this.#tables.blogs().modify(ofWebsite, websiteId);
    if (categorySlug !== null) rows.whereRaw('category_slugs @> array[?]::text[]', [categorySlug]);
    if (tagSlug !== null) rows.whereRaw('tag_slugs @> array[?]::text[]', [tagSlug]);
    if (foldedTitlePart !== null) rows.whereLike('folded_title', `%${escapeLike(foldedTitlePart)}%`);
    return rows;
  }

  #fromItsBlock(page: Knex.QueryBuilder, offset: number): Knex.QueryBuilder {
    const blocks = this.#tables.blocksOfShelf(this.criteria).select(
      'blogs',
      this.database.raw(`sum(blogs) ${FROM_NEWEST} as through`),
      // A block ends where the newer one next to it begins.
      this.database.raw(`lag(from_published_at, 1, 'infinity') ${FROM_NEWEST} as to_published_at`),
      this.database.raw(`lag(from_id, 1, '') ${FROM_NEWEST} as to_id`),
    );
    // What is hidden is on the shelf still: then a page is walked to, from the newest on.
    const start = this.database.raw(
      `select 0 as blogs, 0 as through, 'infinity'::timestamptz as to_published_at, '' as to_id where exists (?)`,
      [this.#tables.hiddenWebsites().select('website_id')],
    );
    const nearest = this.database.from('blocks').where('through', '>', offset).orderBy('through').limit(1);
    const first = this.database.raw('? union all (?) limit 1', [start, nearest]);
    const skipped = this.database.raw('(select ? - (through - blogs) from block)::bigint', [offset]);
    return page
      .with('blocks', blocks)
      .with('block', first)
      .whereRaw('(published_at, id) < ((select to_published_at from block), (select to_id from block))')
      .offset(skipped as unknown as number);
  }
}

/** `%`, `_` and `\` mean themselves in what a caller searches for. */
function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
