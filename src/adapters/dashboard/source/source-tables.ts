import type { RowKind } from '../../../domain/model/read-model.js';
import type { SourceName } from '../mapping/dashboard-mapping.js';

/** The source of the rows of each kind. */
export const SOURCE_OF: Readonly<Record<RowKind, SourceName>> = {
  apiKeys: 'api_keys',
  categories: 'categories',
  tags: 'tags',
  blogs: 'blogs',
};

export const TERM_KINDS = ['categories', 'tags'] as const;
export type TermKind = (typeof TERM_KINDS)[number];

/** The table of links between blogs and terms, and its column for the terms. */
export const LINKS_TO = {
  categories: { source: 'blog_categories', column: 'category_id' },
  tags: { source: 'blog_tags', column: 'tag_id' },
} as const;

/** The selects of a mapping as tables of other statements, in the SQL of one engine. */
export interface SourceTables {
  /** Without rows if the dashboard has no such source. */
  table(source: SourceName, alias: string): string;
  /** A column, or its fallback if the select lacks it. */
  column(source: SourceName, alias: string, column: string): string;
  text(value: string): string;
  /** The size of a text in bytes. */
  bytes(value: string): string;
  /** The MD5 digest of a text in UTF-8, in hexadecimal. */
  digest(value: string): string;
  /** A name for a column of the result. */
  name(field: string): string;
  /** What the links of a blog, `mapped`, add to its sizes; empty: BlogTerms alone counts them. */
  bytesOfLinks(): Readonly<Partial<Record<TermKind, string>>>;
}
