import type { Knex } from 'knex';
import { type Fault, KindFails, RowRefused } from '../../../domain/errors.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import {
  type DashboardMapping,
  presentSelects,
  SOURCES,
  type SourceName,
  zoneOf,
} from '../mapping/dashboard-mapping.js';
import { columnProblems, type TypedColumns } from '../mapping/mapped-columns.js';
import { FINDINGS } from '../mapping/mapping-findings.js';

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

/** Attempts to read from a snapshot that is not outdated. */
const SNAPSHOTS = 5;

/** The SQL of one engine, with which a connection reads a mapped dashboard. */
export abstract class SourceDialect {
  protected abstract readonly snapshotMode: Knex.TransactionConfig;
  readonly #tables = new Map<Read, SourceTables>();

  constructor(readonly mapping: DashboardMapping) {}

  /** The columns of a select, without reading rows. */
  abstract describe(database: Knex, select: string): Promise<TypedColumns>;
  abstract tablesOf(columnsOf: Described): SourceTables;
  abstract query(database: Knex, statement: string): Promise<readonly Stored[]>;
  /** Null: not the server's error. */
  abstract faultOf(error: unknown): Fault | null;
  /** What the server says. */
  protected abstract reasonIn(error: Error): string;
  /** Whether the session's user lacks a right. */
  abstract isDenied(error: unknown): boolean;
  /** Whether a snapshot has to be taken again, because a table was replaced, for example. */
  protected abstract isSnapshotOutdated(error: unknown): boolean;
  /** Before missing rows count as deleted. Throws if a table was replaced after the snapshot. */
  abstract requireSameTables(snapshot: Knex): Promise<void>;

  /** Reads from one snapshot, and again if it is outdated. */
  async inSnapshot<Seen>(database: Knex, see: (snapshot: Knex) => Promise<Seen>): Promise<Seen> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await database.transaction(see, this.snapshotMode);
      } catch (error) {
        if (!this.isSnapshotOutdated(error) || attempt === SNAPSHOTS) throw error;
      }
    }
  }

  /** Describes only the selects of this read: another one must not keep a revoked key valid. */
  async tables(database: Knex, read: Read): Promise<SourceTables> {
    const cachedTables = this.#tables.get(read);
    if (cachedTables !== undefined) return cachedTables;
    const sources: readonly SourceName[] = READ_BY[read];
    const columnsOf: Partial<Record<SourceName, TypedColumns>> = {};
    for (const { name, select } of presentSelects(this.mapping)) {
      if (!sources.includes(name)) continue;
      const columns = await this.describe(database, select).catch((error: unknown) => {
        const reason = this.rejectionIn(error);
        throw reason === null ? error : new KindFails(FINDINGS.selectFails(name, reason), { cause: error });
      });
      const [problem] = columnProblems(name, columns, zoneOf(this.mapping, name));
      if (problem !== undefined) throw new KindFails(`The mapping does not fit the tables: ${problem}`);
      columnsOf[name] = columns;
    }
    const tables = this.tablesOf(columnsOf);
    this.#tables.set(read, tables);
    return tables;
  }

  /** Why the server rejected a statement. Null: the connection or the moment is the cause. */
  rejectionIn(error: unknown): string | null {
    const fault = this.faultOf(error);
    return fault === null || fault === 'outage' ? null : this.reasonIn(error as Error);
  }

  /** Throws as `refusing` does. */
  async rows(
    snapshot: Knex,
    tables: SourceTables,
    statement: StatementForIds,
    ids: readonly string[],
  ): Promise<readonly Stored[]> {
    return ids.length === 0 ? [] : this.refusing(tables.rows(snapshot, statement, ids));
  }

  /**
   * Throws RowRefused if the server rejects a statement for one of its rows, and KindFails if
   * whatever they are: the selects are then described again.
   */
  async refusing(rows: Promise<readonly Stored[]>): Promise<readonly Stored[]> {
    return rows.catch((error: unknown) => {
      const reason = this.rejectionIn(error);
      if (reason === null) throw error;
      if (this.faultOf(error) === 'row')
        throw new RowRefused(`the row cannot be read: ${reason}`, { cause: error });
      this.forgetTables();
      throw new KindFails(reason, { cause: error });
    });
  }

  /** Has the selects described again when they are read next. */
  forgetTables(): void {
    this.#tables.clear();
  }
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
