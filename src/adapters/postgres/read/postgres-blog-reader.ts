import type { Knex } from 'knex';
import type { Blog, BlogDetail } from '../../../domain/model/blog.js';
import { BLOG_FIELD_NAMES, columnOf, recordOf } from '../../../domain/model/blog-fields.js';
import type { Term } from '../../../domain/model/term.js';
import { newestFirst } from '../../../domain/policies/ordering.js';
import type { BlogCriteria, BlogCut, BlogReader } from '../../../domain/ports/reading/blog-reader.js';
import { categoryTerm, NO_TERM, tagTerm, websiteOfList } from '../read-tables.js';
import {
  type ContentStatement,
  OF_SHOWN_WEBSITES,
  OrganizationTables,
  shownTerms,
} from './organization-tables.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';
import { epochMs, toMillis } from './read-table.js';

const LIST_COLUMNS = {
  id: 'id',
  websiteId: 'website_id',
  title: 'title',
  slug: 'slug',
  ...recordOf(BLOG_FIELD_NAMES, columnOf),
};
const LIST_COLUMN_NAMES = Object.entries(LIST_COLUMNS)
  .map(([name, column]) => `${column} as "${name}"`)
  .join(', ');
const DETAIL_COLUMNS = { ...LIST_COLUMNS, contentHtml: 'content_html' };
const COMPUTED = `${epochMs('published_at')} as "publishedAt", ${shownTerms('categories')} as categories, ${shownTerms('tags')} as tags`;

type Stored<Row> = Omit<Row, 'publishedAt' | 'categories' | 'tags'> & {
  publishedAt: string;
  categories: Term[];
  tags: Term[];
};

type ListRow = { readonly total: string } & (Stored<Blog> | { readonly id: null });

export class PostgresBlogReader implements BlogReader {
  constructor(private readonly database: Knex) {}

  /** One statement, so the total is of the same state. A page past the end has no blogs. */
  async list(organizationId: string, criteria: BlogCriteria, cut: BlogCut) {
    const { sql, bindings } = pageOf(organizationId, criteria, cut);
    const { rows } = await this.database
      .raw<{ rows: readonly ListRow[] }>(sql, bindings)
      .timeout(QUERY_TIMEOUT_MS);
    const blogs = rows.flatMap(({ total, ...blog }) => (blog.id === null ? [] : [toBlog<Blog>(blog)]));
    return { total: Number(rows[0]?.total), blogs: blogs.toSorted(newestFirst) };
  }

  findById(organizationId: string, id: string): Promise<BlogDetail | null> {
    return this.#findOne(organizationId, { id });
  }

  findBySlug(organizationId: string, websiteId: string, slug: string): Promise<BlogDetail | null> {
    return this.#findOne(organizationId, { website_id: websiteId, slug });
  }

  async #findOne(
    organizationId: string,
    conditions: Readonly<Record<string, string>>,
  ): Promise<BlogDetail | null> {
    const blogs = new OrganizationTables(this.database, organizationId).blogs();
    const [row]: readonly Stored<BlogDetail>[] = await blogs
      .where(conditions)
      .orderBy('id')
      .limit(1)
      .select(DETAIL_COLUMNS, this.database.raw(COMPUTED));
    return row === undefined ? null : toBlog(row);
  }
}

/** Unsorted: a sort here would hide from the planner what the rest costs. */
function pageOf(organizationId: string, criteria: BlogCriteria, cut: BlogCut): ContentStatement {
  const statement = isList(criteria) ? listStatement : searchStatement;
  const { sql, bindings } = statement(organizationId, criteria, cut);
  return {
    sql: `
  with ${sql}
  select counted.total, page.* from counted
    left join (
      select ${LIST_COLUMN_NAMES}, ${COMPUTED}
      from content_read.blogs where organization_id = :organizationId and id = any (array(select id from page)) and ${OF_SHOWN_WEBSITES}
    ) as page on true`,
    bindings,
  };
}

function toBlog<Row extends Blog>(row: Stored<Row>): Row {
  return { ...row, publishedAt: toMillis(row.publishedAt) } as unknown as Row;
}

/** Whether these criteria describe a list: see db/read/0001_read_tables.sql. */
function isList({ categorySlug, tagSlug, foldedTitlePart }: BlogCriteria): boolean {
  return !foldedTitlePart && (categorySlug === null || tagSlug === null);
}

/** The ids of a page of a list, as `page`, and how many blogs the list has, as `total`. */
function listStatement(
  organizationId: string,
  { websiteId, categorySlug, tagSlug }: BlogCriteria,
  { offset, limit }: BlogCut,
): ContentStatement {
  const ofWebsite = websiteId === null ? '' : 'and website_id = :websiteId';
  const entries = `content_read.list_entries where organization_id = :organizationId
      and term = :term ${ofWebsite} and ${OF_SHOWN_WEBSITES}`;
  const website = websiteId === null ? `''` : websiteOfList(':websiteId::text');
  const hidden = websiteId === null ? '' : `and website = ${website}`;
  const sql = `
  -- The total of the list, without the blogs of hidden websites.
  counted as materialized (
    select coalesce((
        select blogs from content_read.list_totals where organization_id = :organizationId and term = :term and website = ${website}
      ), 0) - coalesce((
        select sum(blogs)::bigint from content_read.list_totals where organization_id = :organizationId and term = :term ${hidden}
          and website = any (array(
            select ${websiteOfList('website_id')} from content_read.hidden_websites where organization_id = :organizationId))
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
    term: tagSlug === null ? category : tagTerm(tagSlug),
    offset,
    limit,
  };
  return { sql, bindings };
}

/** In any locale, the index on titles finds this much; for shorter text each title is read. */
const INDEXED = /[a-z0-9]{3}/;

/** For shorter text: with `is true`, PostgreSQL does not read the whole index on titles in vain. */
const NOT_BY_INDEX = '(folded_title like :part) is true';

/** A page of ids as `page`, and how many blogs match as `total`. */
function searchStatement(
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
  const matches = `content_read.titles where organization_id = :organizationId and ${conditions.join(' and ')}`;
  const sql = `
  matching as materialized (
    select published_at, id from ${matches}
  ),
  counted as materialized (
    select count(*) as total from matching
  ),
  page as (
    select id from matching order by published_at desc, id desc offset :offset::bigint limit :limit::bigint
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
