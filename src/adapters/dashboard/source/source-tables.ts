import type { Knex } from 'knex';
import type { RowKind } from '../../../domain/model/read-model.js';
import { SOURCES, type SourceName } from '../mapping/dashboard-mapping.js';
import type { TypedColumns } from '../mapping/mapped-columns.js';

/** The sources that each kind of read needs. */
export const READ_BY = {
  apiKeys: ['api_keys'],
  websites: ['websites'],
  categories: ['categories', 'websites'],
  tags: ['tags', 'websites'],
  blogs: ['blogs', 'websites', 'categories', 'tags', 'blog_categories', 'blog_tags'],
  all: SOURCES,
} as const satisfies Record<RowKind | 'websites' | 'all', readonly SourceName[]>;
export type Read = keyof typeof READ_BY;

/** A row as the driver returns it. */
export type Stored = Record<string, unknown>;

export const TIME_FIELDS: readonly string[] = ['publishedAt', 'expiresAt', 'revokedAt'];

/** A statement for the rows of some ids. */
export interface StatementForIds {
  /** Two statements with the same name are the same. */
  readonly name: string;
  /** The source of the ids. */
  readonly source: SourceName;
  /** `isRequested`: the condition that `mapped.id` is one of the ids. */
  readonly sql: (isRequested: string) => string;
}

/** The columns of selects that the server accepts. */
export type Described = Readonly<Partial<Record<SourceName, TypedColumns>>>;

/** The source of the rows of each kind. */
export const SOURCE_OF: Readonly<Record<RowKind, SourceName>> = {
  apiKeys: 'api_keys',
  categories: 'categories',
  tags: 'tags',
  blogs: 'blogs',
};

/** The table of links between blogs and terms, and its column for the terms. */
export const LINKS_TO = {
  categories: { source: 'blog_categories', column: 'category_id' },
  tags: { source: 'blog_tags', column: 'tag_id' },
} as const;
export type TermKind = keyof typeof LINKS_TO;
export const TERM_KINDS: readonly TermKind[] = ['categories', 'tags'];

/** The selects of a mapping as tables of other statements, in the SQL of one engine. */
export interface SourceTables {
  /** Without rows if the dashboard has no such source. */
  table(source: SourceName, alias: string): string;
  /** A column, or its fallback if the select lacks it. */
  column(source: SourceName, alias: string, column: string): string;
  text(value: string): string;
  /** The condition that a column has one of these keys, as an index finds them. */
  isOneOf(source: SourceName, alias: string, column: string, keys: readonly string[]): string;
  /** Null: the column cannot hold such a key. */
  isAfter(source: SourceName, alias: string, column: string, key: string): string | null;
  /** The condition that a value is in the result of a select, which is computed first. */
  isAmong(value: string, select: string): string;
  /** `blogId` and `termId` of up to `MAX_TERMS + 1` terms of each blog, and the `bytes` of all. */
  links(kind: TermKind): StatementForIds;
  rows(database: Knex, statement: StatementForIds, ids: readonly string[]): Promise<readonly Stored[]>;
  /** Converts values in place. Returns why one cannot be shown; null: all can. */
  convert(kind: RowKind, row: Stored): string | null;
}
