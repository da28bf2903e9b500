import { BLOG_COUNTS, BLOG_TEXTS, columnOf, recordOf } from '../../../domain/model/blog-fields.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import { SHOWN_STATUS } from '../../../domain/model/source.js';
import { BYTES_OF_A_TERM, MAX_TEXT_BYTES } from '../../../domain/policies/row-refusal.js';
import type { SourceName } from '../mapping/dashboard-mapping.js';
import { SOURCE_OF, type SourceTables, type StatementForIds, type TermKind } from './source-tables.js';

/** The source column of each field. */
type Fields = Readonly<Record<string, string>>;

const TEXTS: Readonly<Record<RowKind, Fields>> = {
  apiKeys: { id: 'id', organizationId: 'organization_id', hash: 'key_hash' },
  categories: { id: 'id', parentId: 'parent_id', name: 'name', slug: 'slug', description: 'description' },
  tags: { id: 'id', name: 'name', slug: 'slug', color: 'color' },
  blogs: {
    id: 'id',
    title: 'title',
    slug: 'slug',
    contentHtml: 'content_html',
    ...recordOf(BLOG_TEXTS, columnOf),
  },
};

const OTHERS: Readonly<Record<RowKind, Fields>> = {
  apiKeys: { expiresAt: 'expires_at', revokedAt: 'revoked_at' },
  categories: { sortOrder: 'sort_order' },
  tags: {},
  blogs: { ...recordOf(BLOG_COUNTS, columnOf), status: 'status', publishedAt: 'published_at' },
};

/** The website's own id: references may be written differently under the collation. */
const OF_WEBSITE: Fields = { organizationId: 'organization_id', websiteId: 'id' };

/** The size of all texts of each row that is shown. Long texts are not read for it. */
export function sizesStatement(tables: SourceTables, kind: RowKind): StatementForIds {
  const sizes = {
    key: tables.text('mapped.id'),
    ...converted(textsOf(tables, kind), (text) => `octet_length(${tables.text(text)})`),
  };
  return statement(`${kind}_sizes`, kind, `select ${listOf(sizes)} from ${rowsOf(tables, kind)}`);
}

/** The organizations of websites. */
export function ownersStatement(tables: SourceTables): StatementForIds {
  const select = `select ${tables.text('mapped.id')} as id, ${tables.text('mapped.organization_id')} as owner from ${tables.table('websites', 'mapped')}`;
  return { name: 'owners', source: 'websites', sql: (isRequested) => `${select} where ${isRequested}` };
}

export function rowsStatement(tables: SourceTables, kind: RowKind): StatementForIds {
  const parent = {
    // The parent's own id, for the same reason as the website's.
    parentId: 'parent.id',
    parentOrganizationId: tables.column('websites', 'parent_website', 'organization_id'),
  };
  const texts = { ...textsOf(tables, kind), ...(kind === 'categories' ? parent : {}) };
  const columns = {
    ...converted(texts, (text) => tables.text(text)),
    ...columnsOf(tables, SOURCE_OF[kind], 'mapped', OTHERS[kind]),
  };
  const sql = `select ${listOf(columns)} from ${rowsOf(tables, kind)}`;
  return statement(`${kind}_rows`, kind, sql);
}

/** What a blog shows of its terms. */
export function termsStatement(tables: SourceTables, kind: TermKind): StatementForIds {
  const texts = {
    ...shownOfTerm(tables, kind, 'mapped'),
    organizationId: tables.column('websites', 'website', 'organization_id'),
  };
  const columns = {
    ...converted(texts, (text) => tables.text(text)),
    ...columnsOf(tables, kind, 'mapped', OTHERS[kind]),
  };
  return statement(`${kind}_of_blogs`, kind, `select ${listOf(columns)} from ${withWebsite(tables, kind)}`);
}

/** An expression for what a term counts for among all of its blog. */
export function bytesOfTerm(tables: SourceTables, kind: TermKind, alias: string): string {
  const texts = Object.values(shownOfTerm(tables, kind, alias));
  const sizes = texts.map((text) => `coalesce(octet_length(${tables.text(text)}), 0)`);
  return [BYTES_OF_A_TERM, ...sizes].join(' + ');
}

/** A longer text would be refused anyway. */
function shownOfTerm(tables: SourceTables, kind: TermKind, alias: string) {
  const short = (column: string) => `left(${tables.column(kind, alias, column)}, ${MAX_TEXT_BYTES + 1})`;
  return { id: `${alias}.id`, name: short('name'), slug: short('slug') };
}

function statement(name: string, kind: RowKind, select: string): StatementForIds {
  const isShown = kind === 'blogs' ? ` and mapped.status = '${SHOWN_STATUS}'` : '';
  return {
    name,
    source: SOURCE_OF[kind],
    sql: (isRequested) => `${select} where ${isRequested}${isShown}`,
  };
}

function textsOf(tables: SourceTables, kind: RowKind): Fields {
  const texts = columnsOf(tables, SOURCE_OF[kind], 'mapped', TEXTS[kind]);
  return kind === 'apiKeys' ? texts : { ...texts, ...columnsOf(tables, 'websites', 'website', OF_WEBSITE) };
}

function columnsOf(tables: SourceTables, source: SourceName, alias: string, fields: Fields): Fields {
  return converted(fields, (column) => tables.column(source, alias, column));
}

function converted(fields: Fields, convert: (value: string) => string): Fields {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, convert(value)]));
}

function listOf(columns: Fields): string {
  return Object.entries(columns)
    .map(([field, value]) => `${value} as "${field}"`)
    .join(', ');
}

function rowsOf(tables: SourceTables, kind: RowKind): string {
  if (kind === 'apiKeys') return tables.table('api_keys', 'mapped');
  if (kind !== 'categories') return withWebsite(tables, kind);
  return `${withWebsite(tables, kind)}
    left join ${tables.table('categories', 'parent')} on parent.id = ${tables.column('categories', 'mapped', 'parent_id')}
    left join ${tables.table('websites', 'parent_website')} on parent_website.id = parent.website_id`;
}

function withWebsite(tables: SourceTables, kind: Exclude<RowKind, 'apiKeys'>): string {
  return `${tables.table(kind, 'mapped')}
    join ${tables.table('websites', 'website')} on website.id = mapped.website_id`;
}
