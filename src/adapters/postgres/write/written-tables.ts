import { BLOG_COUNTS, BLOG_TEXTS, columnOf } from '../../../domain/model/blog-fields.js';
import type { BlogRow, RowKind, RowTypes } from '../../../domain/model/read-model.js';
import { categoryTerm, tagTerm } from '../read-tables.js';

/** A table that is written: its columns with their types, and the values of a row. */
export interface WrittenTable<Row> {
  readonly name: string;
  readonly columns: Readonly<Record<string, readonly [type: string, valueIn: (row: Row) => unknown]>>;
}

export const WRITTEN_TABLES: { readonly [Kind in RowKind]: WrittenTable<RowTypes[Kind]> } = {
  apiKeys: {
    name: 'api_keys',
    columns: {
      organization_id: ['text', (key) => key.organizationId],
      id: ['text', (key) => key.id],
      hash: ['text', (key) => key.hash],
      expires_at: ['timestamptz', (key) => toTimestamp(key.expiresAt)],
      revoked_at: ['timestamptz', (key) => toTimestamp(key.revokedAt)],
    },
  },
  categories: {
    name: 'categories',
    columns: {
      organization_id: ['text', (category) => category.organizationId],
      id: ['text', (category) => category.id],
      website_id: ['text', (category) => category.websiteId],
      name: ['text', (category) => category.name],
      slug: ['text', (category) => category.slug],
      description: ['text', (category) => category.description],
      parent_id: ['text', (category) => category.parentId],
      sort_order: ['integer', (category) => category.sortOrder],
    },
  },
  tags: {
    name: 'tags',
    columns: {
      organization_id: ['text', (tag) => tag.organizationId],
      id: ['text', (tag) => tag.id],
      website_id: ['text', (tag) => tag.websiteId],
      name: ['text', (tag) => tag.name],
      slug: ['text', (tag) => tag.slug],
      color: ['text', (tag) => tag.color],
    },
  },
  blogs: {
    name: 'blogs',
    columns: {
      organization_id: ['text', (blog) => blog.organizationId],
      id: ['text', (blog) => blog.id],
      website_id: ['text', (blog) => blog.websiteId],
      title: ['text', (blog) => blog.title],
      slug: ['text', (blog) => blog.slug],
      content_html: ['text', (blog) => blog.contentHtml],
      ...Object.fromEntries(
        BLOG_TEXTS.map((field) => [columnOf(field), ['text', (blog: BlogRow) => blog[field]]]),
      ),
      ...Object.fromEntries(
        BLOG_COUNTS.map((field) => [columnOf(field), ['integer', (blog: BlogRow) => blog[field]]]),
      ),
      published_at: ['timestamptz', (blog) => toTimestamp(blog.publishedAt)],
      categories: ['jsonb', (blog) => blog.categories],
      tags: ['jsonb', (blog) => blog.tags],
    },
  },
};

/** What searches look at. */
export const TITLES: WrittenTable<BlogRow> = {
  name: 'titles',
  columns: {
    organization_id: ['text', (blog) => blog.organizationId],
    id: ['text', (blog) => blog.id],
    website_id: ['text', (blog) => blog.websiteId],
    published_at: ['timestamptz', (blog) => toTimestamp(blog.publishedAt)],
    terms: ['text[]', (blog) => termsOf(blog, 'slug')],
    term_ids: ['text[]', (blog) => termsOf(blog, 'id')],
    folded_title: ['text', (blog) => blog.foldedTitle],
  },
};

/** Categories of several websites may share a slug. */
function termsOf({ categories, tags }: BlogRow, field: 'id' | 'slug'): readonly string[] {
  const terms = [
    ...categories.map((category) => categoryTerm(category[field])),
    ...tags.map((tag) => tagTerm(tag[field])),
  ];
  return [...new Set(terms)];
}

/** In PostgreSQL's format, which has no sign before years. */
function toTimestamp(millis: number | null): string | null {
  if (millis === null) return null;
  if (!Number.isFinite(millis)) return millis > 0 ? 'infinity' : '-infinity';
  const date = new Date(millis);
  const year = date.getUTCFullYear();
  const monthAndTime = date.toISOString().slice(-20);
  return year > 0
    ? `${String(year).padStart(4, '0')}${monthAndTime}`
    : `${String(1 - year).padStart(4, '0')}${monthAndTime} BC`;
}

/** JSON for `json_to_recordset`. */
export function toRecords<Row>({ columns }: WrittenTable<Row>, rows: readonly Row[]): string {
  const fields = Object.entries(columns);
  const records = rows.map((row) => {
    const record: Record<string, unknown> = {};
    for (const [column, [, valueIn]] of fields) record[column] = valueIn(row);
    return record;
  });
  return JSON.stringify(records);
}
