import type { Knex } from 'knex';
import type { WalkedScope } from '../../../domain/model/job.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import { SOURCES, type SourceName } from '../mapping/dashboard-mapping.js';

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

/** Reads from one snapshot. */
export interface Snapshot {
  readonly database: Knex;
  /** Whether it survives a row that cannot be read. That takes more statements for each read. */
  readonly outlivesFailures: boolean;
}

/** A statement for the rows of some ids. */
export interface StatementForIds {
  /** Two statements with the same name are the same. */
  readonly name: string;
  /** The source of the ids. */
  readonly source: SourceName;
  /** `isRequested`: the condition that `mapped.id` is one of the ids. */
  readonly sql: (isRequested: string) => string;
}

export interface Walk {
  readonly scope: WalkedScope;
  readonly kind: RowKind;
  readonly after: string | null;
  readonly limit: number;
}

/** What reading a mapped dashboard asks of one engine. */
export interface SourceDialect<Tables extends SourceTables = SourceTables> {
  readonly snapshotMode: Knex.TransactionConfig;
  tables(database: Knex, read: Read): Promise<Tables>;
  query(database: Knex, statement: string): Promise<readonly Stored[]>;
  rows(
    snapshot: Snapshot,
    tables: Tables,
    statement: StatementForIds,
    ids: readonly string[],
  ): Promise<readonly Stored[]>;
  /** Up to `limit` ids that follow `after`, in their own order. */
  nextKeys(database: Knex, tables: Tables, walk: Walk): Promise<readonly string[]>;
  /** The terms of blogs: `blogId` and `termId`, once or several times. */
  links(tables: Tables, kind: TermKind): StatementForIds;
  /** Converts values in place. Returns why one cannot be shown; null: all can. */
  convert(tables: Tables, kind: RowKind, row: Stored): string | null;
  /** Why the server rejected a statement. Null: the connection or the moment is the cause. */
  rejectionIn(error: unknown): string | null;
  /** Whether a snapshot has to be taken again, because a table was replaced, for example. */
  isSnapshotOutdated(error: unknown): boolean;
  /** Before missing rows count as deleted. Throws if a table was replaced after the snapshot. */
  requireSameTables(snapshot: Knex): Promise<void>;
}

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
  /** A name for a column of the result. */
  name(field: string): string;
  /** What the links of a blog, `mapped`, add to its sizes; empty: BlogTerms alone counts them. */
  bytesOfLinks(): Readonly<Partial<Record<TermKind, string>>>;
}
