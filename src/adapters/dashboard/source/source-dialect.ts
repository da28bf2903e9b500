import type { Knex } from 'knex';
import type { WalkedScope } from '../../../domain/model/job.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import { SOURCES, type SourceName } from '../mapping/dashboard-mapping.js';
import type { StatementForIds } from './source-statements.js';
import type { SourceTables, TermKind } from './source-tables.js';

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
  /** Converts the values of a row that are not texts, in place. Returns why a value cannot be shown; null: all can. */
  convert(tables: Tables, kind: RowKind, row: Stored): string | null;
  /** Why the server rejected a statement. Null: the connection, the server or the moment is the cause. */
  rejectionIn(error: unknown): string | null;
  /** Whether a snapshot has to be taken again, because a table was replaced after it, for example. */
  isSnapshotOutdated(error: unknown): boolean;
  /** To be called before missing rows count as deleted. Throws if a table was replaced after the snapshot. */
  requireSameTables(snapshot: Knex): Promise<void>;
}
