import type { Knex } from 'knex';
import type { Blog, BlogDetail } from '../../domain/model/blog.js';
import { BLOG_FIELD_NAMES, columnOf, recordOf } from '../../domain/model/blog-fields.js';
import { RecordedSnapshot, type Snapshot } from '../../domain/model/snapshot.js';
import type { Term } from '../../domain/model/term.js';
import type { BlogCriteria, BlogCut, BlogReader } from '../../domain/ports/blog-reader.js';
import type { BlogList } from './blog-list.js';
import { type ContentDatabase, type Dated, type DatedRow, isFound } from './content-database.js';
import { countedList, isCountedList } from './counted-list.js';
import { epochMs, toMillis } from './epoch-ms.js';
import { OrganizationTables, shownTerms } from './organization-tables.js';
import { QUERY_TIMEOUT_MS } from './read-database.js';
import { filteredList, searchList } from './search-list.js';

const LIST_COLUMNS = {
  id: 'id',
  websiteId: 'website_id',
  title: 'title',
  slug: 'slug',
  ...recordOf(BLOG_FIELD_NAMES, columnOf),
};
const DETAIL_COLUMNS = { ...LIST_COLUMNS, contentHtml: 'content_html' };

type Stored<Row> = Omit<Row, 'publishedAt' | 'categories' | 'tags'> & {
  publishedAt: string;
  categories: Term[];
  tags: Term[];
};

type ListRow = { readonly total: string | null } & Dated<Stored<Blog>>;

export class PostgresBlogReader implements BlogReader {
  constructor(private readonly content: ContentDatabase) {}

  /** A single statement. The total is outside of the page's rows, because a page past the end has no rows. */
  async list(
    organizationId: string,
    criteria: BlogCriteria,
    cut: BlogCut,
    snapshot: Snapshot = new RecordedSnapshot(0),
  ) {
    const ask = (database: Knex) => listStatement(database, organizationId, criteria, cut);
    const rows = await this.content.rows<ListRow>(ask, snapshot);
    const blogs = rows.filter(isFound).map(({ total, ...blog }) => toBlog<Blog>(blog));
    return { total: Number(rows[0]?.total), blogs };
  }

  findById(organizationId: string, id: string, snapshot?: Snapshot): Promise<BlogDetail | null> {
    return this.#findOne(organizationId, { id }, snapshot);
  }

  findBySlug(
    organizationId: string,
    websiteId: string,
    slug: string,
    snapshot?: Snapshot,
  ): Promise<BlogDetail | null> {
    return this.#findOne(organizationId, { website_id: websiteId, slug }, snapshot);
  }

  async #findOne(
    organizationId: string,
    named: Readonly<Record<string, string>>,
    snapshot: Snapshot = new RecordedSnapshot(0),
  ): Promise<BlogDetail | null> {
    const ask = (database: Knex) => {
      const tables = new OrganizationTables(database, organizationId);
      const found = tables.blogs().where(named).orderBy('id').limit(1);
      return tables.dated<Stored<BlogDetail>>(found.select(DETAIL_COLUMNS, computed(database)));
    };
    const [row] = (await this.content.rows(ask, snapshot)).filter(isFound);
    return row === undefined ? null : toBlog(row);
  }
}

function listStatement(
  database: Knex,
  organizationId: string,
  criteria: BlogCriteria,
  cut: BlogCut,
): Knex.QueryBuilder {
  const tables = new OrganizationTables(database, organizationId);
  const { parts, total, ids } = listOf(database, tables, criteria, cut);
  const page = tables.blogsWithIds(ids).select(LIST_COLUMNS, computed(database));
  const statement = database
    .select('*')
    .from(database.select({ total, generation: tables.generation() }).as('counted'))
    .leftJoin(page.as('page'), database.raw('true'))
    .orderBy([
      { column: 'publishedAt', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .timeout(QUERY_TIMEOUT_MS);
  for (const [name, query] of parts) statement.withMaterialized(name, query);
  return statement;
}

function computed(database: Knex): Knex.Raw {
  return database.raw(
    `${epochMs('published_at')} as "publishedAt", ${shownTerms('categories')} as categories, ${shownTerms('tags')} as tags`,
  );
}

function listOf(database: Knex, tables: OrganizationTables, criteria: BlogCriteria, cut: BlogCut): BlogList {
  // Every title contains the empty text.
  const foldedTitlePart = criteria.foldedTitlePart || null;
  const folded = { ...criteria, foldedTitlePart };
  if (isCountedList(folded)) return countedList(database, tables, folded, cut);
  if (foldedTitlePart === null || folded.categorySlug !== null || folded.tagSlug !== null) {
    return filteredList(database, tables, folded, cut);
  }
  return searchList(database, tables, { ...folded, foldedTitlePart }, cut);
}

function toBlog<Row extends Blog>({ generation, ...row }: Stored<Row> & DatedRow): Row {
  return { ...row, publishedAt: toMillis(row.publishedAt) } as unknown as Row;
}
