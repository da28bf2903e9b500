import type { Knex } from 'knex';
import { KindFails, RowRefused } from '../../../domain/errors.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import {
  type DashboardMapping,
  presentSelects,
  type SourceName,
  zoneOf,
} from '../mapping/dashboard-mapping.js';
import { columnProblems, type TypedColumns } from '../mapping/mapped-columns.js';
import { FINDINGS } from '../mapping/mapping-findings.js';
import type { Engine } from './engine.js';
import { SlowKinds } from './slow-kinds.js';
import { READ_BY, type Read, type SourceTables, type StatementForIds, type Stored } from './source-tables.js';

/** Attempts to read from a snapshot that is not outdated. */
const SNAPSHOTS = 5;

/** Reads a mapped dashboard over one connection. */
export class SourceReader {
  readonly #tables = new Map<Read, SourceTables>();

  constructor(
    readonly mapping: DashboardMapping,
    private readonly engine: Pick<Engine, 'client' | 'read'>,
    private readonly slowKinds = new SlowKinds(),
  ) {}

  query(database: Knex, statement: string): Promise<readonly Stored[]> {
    return this.engine.client.query(database, statement);
  }

  /** Reads from one snapshot, and again if it is outdated. */
  async inSnapshot<Seen>(database: Knex, see: (snapshot: Knex) => Promise<Seen>): Promise<Seen> {
    const { snapshotMode, isOutdated } = this.engine.read;
    for (let attempt = 1; ; attempt++) {
      try {
        return await database.transaction(see, snapshotMode);
      } catch (error) {
        if (!isOutdated(error)) throw error;
        this.forgetTables();
        if (attempt === SNAPSHOTS) throw error;
      }
    }
  }

  /** Rows of a kind that is slow are read briefly. */
  inTime<Rows>(snapshot: Knex, kind: RowKind, read: () => Promise<Rows>): Promise<Rows> {
    if (this.slowKinds.has(kind)) return this.engine.read.briefly(snapshot, read);
    return this.slowKinds.watch(kind, read);
  }

  /** Before missing rows count as deleted. Throws if a table was replaced after the snapshot. */
  requireSameTables(snapshot: Knex): Promise<void> {
    return this.engine.read.requireSameTables(snapshot, this.mapping);
  }

  /** Describes only the selects of this read: another one must not keep a revoked key valid. */
  async tables(database: Knex, read: Read): Promise<SourceTables> {
    const cachedTables = this.#tables.get(read);
    if (cachedTables !== undefined) return cachedTables;
    const sources: readonly SourceName[] = READ_BY[read];
    const columnsOf: Partial<Record<SourceName, TypedColumns>> = {};
    for (const { name, select } of presentSelects(this.mapping)) {
      if (!sources.includes(name)) continue;
      const columns = await this.engine.read.describe(database, select).catch((error: unknown) => {
        const reason = this.rejectionIn(error);
        throw reason === null ? error : new KindFails(FINDINGS.selectFails(name, reason), { cause: error });
      });
      const [problem] = columnProblems(name, columns, zoneOf(this.mapping, name));
      if (problem !== undefined) throw new KindFails(`The mapping does not fit the tables: ${problem}`);
      columnsOf[name] = columns;
    }
    const tables = this.engine.read.tablesOf(this.mapping, columnsOf);
    this.#tables.set(read, tables);
    return tables;
  }

  /** Why the server rejected a statement. Null: the connection or the moment is the cause. */
  rejectionIn(error: unknown): string | null {
    const fault = this.engine.read.faultOf(error);
    return fault === null || fault === 'outage' ? null : this.engine.client.reasonIn(error as Error);
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
   * Throws RowRefused if the server rejects a statement because of one of its rows, otherwise
   * KindFails, and the selects are described again.
   */
  async refusing(rows: Promise<readonly Stored[]>): Promise<readonly Stored[]> {
    return rows.catch((error: unknown) => {
      const reason = this.rejectionIn(error);
      if (reason === null) throw error;
      if (this.engine.read.faultOf(error) === 'row')
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
