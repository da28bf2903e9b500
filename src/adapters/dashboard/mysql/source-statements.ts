import { BLOG_COUNTS, BLOG_TEXTS, columnOf, recordOf } from '../../../domain/model/blog-fields.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import { SHOWN_STATUS } from '../../../domain/model/source.js';
import { BYTES_OF_A_TERM } from '../../../domain/policies/row-limits.js';
import type { SourceName } from '../mapping/dashboard-mapping.js';
import type { MappedTables } from './mapped-tables.js';

/** The source column of each field of a row. */
type Fields = Readonly<Record<string, string>>;

export const SOURCE_OF: Readonly<Record<RowKind, SourceName>> = {
  apiKeys: 'api_keys',
  categories: 'categories',
  tags: 'tags',
  blogs: 'blogs',
};

const OWN_TEXTS: Readonly<Record<RowKind, Fields>> = {
  apiKeys: { id: 'id', organizationId: 'organization_id', hash: 'key_hash' },
  categories: { id: 'id', parentId: 'parent_id', name: 'name', slug: 'slug', description: 'description' },
  tags: { id: 'id', name: 'name', slug: 'slug', color: 'color' },
  blogs: {
    id: 'id',
    title: 'title',
    slug: 'slug',
    ...recordOf(BLOG_TEXTS, columnOf),
    contentHtml: 'content_html',
  },
};

const OTHERS: Readonly<Record<RowKind, Fields>> = {
  apiKeys: { expiresAt: 'expires_at', revokedAt: 'revoked_at' },
  categories: { sortOrder: 'sort_order' },
  tags: {},
  blogs: {
    ...recordOf(BLOG_COUNTS, columnOf),
    status: 'status',
    publishedAt: 'published_at',
  },
};

/** The website's own id: under the dashboard's collation, references to it may be written differently. */
const OF_WEBSITE: Fields = { organizationId: 'organization_id', websiteId: 'id' };

/** The size of all texts of each shown row, in bytes of UTF-8. */
export function sizesOf(tables: MappedTables, kind: RowKind, ids: readonly string[]): string {
  const sizes = Object.entries(columnsOf(tables, kind, OWN_TEXTS[kind])).map(
    ([field, column]) => `octet_length(convert(${column} using utf8mb4)) as ${field}`,
  );
  return `select mapped.id as 'key', ${sizes.join(', ')} from ${rowsOf(tables, kind, ids)}`;
}

export function rowsStatement(tables: MappedTables, kind: RowKind, ids: readonly string[]): string {
  return selectOf(tables, kind, ids, (_field, column) => column);
}

export function digestedBlogs(tables: MappedTables, ids: readonly string[]): string {
  return selectOf(tables, 'blogs', ids, (field, column) =>
    field === 'contentHtml' ? `md5(convert(${column} using utf8mb4))` : column,
  );
}

function selectOf(
  tables: MappedTables,
  kind: RowKind,
  ids: readonly string[],
  selected: (field: string, column: string) => string,
): string {
  const shown = columnsOf(tables, kind, { ...OWN_TEXTS[kind], ...OTHERS[kind] });
  // The parent's own id, for the same reason as the website's.
  const fields = Object.entries(kind === 'categories' ? { ...shown, parentId: 'parent.id' } : shown);
  if (kind === 'categories') {
    fields.push(['parentOrganizationId', tables.column('websites', 'parent_website', 'organization_id')]);
  }
  const columns = fields.map(([field, column]) => `${selected(field, column)} as ${field}`);
  return `select ${columns.join(', ')} from ${rowsOf(tables, kind, ids)}`;
}

/** The links of blogs to categories and tags, by blog. */
export function linksOf(
  tables: MappedTables,
  kind: 'categories' | 'tags',
  blogIds: readonly string[],
): string {
  const [source, column] =
    kind === 'tags' ? (['blog_tags', 'tag_id'] as const) : (['blog_categories', 'category_id'] as const);
  return `select blog.id as blogId, term.id as termId from ${tables.table(source, 'link')}
    join ${tables.table('blogs', 'blog')} on blog.id = link.blog_id join ${tables.table(kind, 'term')} on term.id = link.${column}
    where ${tables.isOneOf('blogs', 'blog', 'id', blogIds)}`;
}

/** The fields of terms that a blog shows. */
export function termsStatement(
  tables: MappedTables,
  kind: 'categories' | 'tags',
  ids: readonly string[],
): string {
  const { id, name, slug } = OWN_TEXTS[kind];
  const shown = columnsOf(tables, kind, { id, name, slug, ...OTHERS[kind] } as Fields);
  const columns = Object.entries(shown).map(([field, column]) => `${column} as ${field}`);
  return `select ${columns.join(', ')} from ${rowsOf(tables, kind, ids)}`;
}

export function termSizes(tables: MappedTables, kind: 'categories' | 'tags', ids: readonly string[]): string {
  const bytes = ['id', 'name', 'slug'].map(
    (column) => `octet_length(convert(mapped.${column} using utf8mb4))`,
  );
  return `select mapped.id as id, ${bytes.join(' + ')} + ${BYTES_OF_A_TERM} as bytes from ${rowsOf(tables, kind, ids)}`;
}

function columnsOf(tables: MappedTables, kind: RowKind, own: Fields): Fields {
  const source = SOURCE_OF[kind];
  const ofRow = Object.entries(own).map(([field, column]) => [
    field,
    tables.column(source, 'mapped', column),
  ]);
  const ofWebsite =
    kind === 'apiKeys'
      ? []
      : Object.entries(OF_WEBSITE).map(([field, column]) => [
          field,
          tables.column('websites', 'website', column),
        ]);
  return Object.fromEntries([...ofRow, ...ofWebsite]);
}

function rowsOf(tables: MappedTables, kind: RowKind, ids: readonly string[]): string {
  const source = SOURCE_OF[kind];
  const condition = `where ${tables.isOneOf(source, 'mapped', 'id', ids)}`;
  const row = tables.table(source, 'mapped');
  if (kind === 'apiKeys') return `${row} ${condition}`;
  const website = `join ${tables.table('websites', 'website')} on website.id = mapped.website_id`;
  if (kind === 'tags') return `${row} ${website} ${condition}`;
  if (kind === 'blogs') return `${row} ${website} ${condition} and mapped.status = '${SHOWN_STATUS}'`;
  return `${row} ${website}
    left join ${tables.table('categories', 'parent')} on parent.id = ${tables.column('categories', 'mapped', 'parent_id')}
    left join ${tables.table('websites', 'parent_website')} on parent_website.id = parent.website_id ${condition}`;
}
