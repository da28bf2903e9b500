import type { Knex } from 'knex';
import type { Blog, BlogDetail } from '../../domain/model/blog.js';
import type { BlogCriteria } from '../../domain/model/blog-criteria.js';
import type { Term } from '../../domain/model/term.js';
import type { BlogCut, BlogReader } from '../../domain/ports/blog-reader.js';
import type { BlogList } from './blog-list.js';
import { epochMs, toMillis } from './epoch-ms.js';
import { OrganizationTables, shownTerms } from './organization-tables.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';
import { filteredList, searchList } from './search-list.js';
import { isShelf, shelfList } from './shelf-list.js';

const LIST_COLUMNS = {
  id: 'id',
  websiteId: 'website_id',
  title: 'title',
  slug: 'slug',
  excerpt: 'excerpt',
  metaTitle: 'meta_title',
  metaDescription: 'meta_description',
  featuredImageUrl: 'featured_image_url',
  featuredImageAlt: 'featured_image_alt',
  wordCount: 'word_count',
  readingTimeMinutes: 'reading_time_minutes',
};
const DETAIL_COLUMNS = { ...LIST_COLUMNS, contentHtml: 'content_html' };

type Stored<Row> = Omit<Row, 'publishedAt' | 'categories' | 'tags'> & {
  publishedAt: string;
  categories: Term[];
  tags: Term[];
};

export class PostgresBlogReader implements BlogReader {
  constructor(private readonly database: Knex) {}

  /** One statement. The total stands beside the page, not in its rows, since a page past the end has none. */
  async list(organizationId: string, criteria: BlogCriteria, cut: BlogCut) {
    const tables = new OrganizationTables(this.database, organizationId);
    const { parts, total, ids } = listOf(this.database, tables, criteria, cut);
    const page = tables
      .blogs()
      .whereIn('id', ids as Knex.QueryBuilder)
      .select(LIST_COLUMNS, this.#computed());
    const statement = this.database
      .select('*')
      .from(this.database.select({ total }).as('counted'))
      .leftJoin(page.as('page'), this.database.raw('true'))
      .orderBy([
        { column: 'publishedAt', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .timeout(QUERY_TIMEOUT_MS);
    for (const [name, query] of parts) statement.withMaterialized(name, query);
    const rows: ({ total: string | null } & Stored<Blog>)[] = await statement;
    const blogs = rows.filter((row) => row.id !== null).map(({ total, ...blog }) => toBlog(blog));
    return { total: Number(rows[0]?.total), blogs };
  }

  findById(organizationId: string, id: string): Promise<BlogDetail | null> {
    return this.#findOne(organizationId, { id });
  }

  findBySlug(organizationId: string, websiteId: string, slug: string): Promise<BlogDetail | null> {
    return this.#findOne(organizationId, { website_id: websiteId, slug });
  }

  async #findOne(
    organizationId: string,
    named: Readonly<Record<string, string>>,
  ): Promise<BlogDetail | null> {
    const rows = new OrganizationTables(this.database, organizationId).blogs().where(named);
    const row: Stored<BlogDetail> | undefined = await rows
      .orderBy('id')
      .first(DETAIL_COLUMNS, this.#computed());
    return row === undefined ? null : toBlog(row);
  }

  #computed(): Knex.Raw {
    return this.database.raw(
      `${epochMs('published_at')} as "publishedAt", ${shownTerms('categories')} as categories, ${shownTerms('tags')} as tags`,
    );
  }
}

function listOf(database: Knex, tables: OrganizationTables, criteria: BlogCriteria, cut: BlogCut): BlogList {
  // Each title has an empty part.
  const foldedTitlePart = criteria.foldedTitlePart || null;
  const asked = { ...criteria, foldedTitlePart };
  if (isShelf(asked)) return shelfList(database, tables, asked, cut);
  if (foldedTitlePart === null || asked.categorySlug !== null || asked.tagSlug !== null) {
    return filteredList(database, tables, asked, cut);
  }
  return searchList(database, tables, { ...asked, foldedTitlePart }, cut);
}

function toBlog<Row extends Blog>(row: Stored<Row>): Row {
  return { ...row, publishedAt: toMillis(row.publishedAt) } as unknown as Row;
}
