import type { Knex } from 'knex';
import { SelectFails } from '../../../domain/errors.js';
import type { RefusedRow } from '../../../domain/model/source.js';
import type { Snapshot, SourceDialect, SourceTables, StatementForIds, Stored } from './source-dialect.js';

/** Finding each bad row takes a dozen statements, and a revocation waits for them. */
export const MAX_ROWS_AMONG_BAD_ONES = 64;

interface Readable {
  readonly rows: readonly Stored[];
  readonly refused: readonly RefusedRow[];
}

/** Reads rows of a snapshot. */
export class RowReader<Tables extends SourceTables> {
  constructor(
    readonly snapshot: Snapshot,
    readonly dialect: SourceDialect<Tables>,
    readonly tables: Tables,
  ) {}

  /**
   * The rows of some ids. If the server rejects a statement for one id, that row is refused and the
   * others are read, by halves.
   */
  async rows(statement: StatementForIds, ids: readonly string[]): Promise<Readable> {
    if (ids.length === 0) return { rows: [], refused: [] };
    try {
      return { rows: await this.#run(statement, ids), refused: [] };
    } catch (error) {
      const reason = this.dialect.rejectionIn(error);
      if (!this.snapshot.outlivesFailures || reason === null) throw error;
      await this.#requireForNone(statement);
      return this.#rowsAmongBadOnes(statement, ids, reason);
    }
  }

  #run(statement: StatementForIds, ids: readonly string[]) {
    return this.dialect.rows(this.snapshot, this.tables, statement, ids);
  }

  async #requireForNone(statement: StatementForIds): Promise<void> {
    try {
      await this.#run(statement, []);
    } catch (error) {
      const reason = this.dialect.rejectionIn(error);
      throw reason === null ? error : new SelectFails(reason, { cause: error });
    }
  }

  /** `reason`: why the server rejected these. */
  async #rowsAmongBadOnes(
    statement: StatementForIds,
    ids: readonly string[],
    reason: string,
  ): Promise<Readable> {
    if (ids.length === 1)
      return { rows: [], refused: ids.map((id) => ({ id, reason: `the row cannot be read: ${reason}` })) };
    const middle = Math.ceil(ids.length / 2);
    const halves: Readable[] = [];
    for (const half of [ids.slice(0, middle), ids.slice(middle)]) {
      try {
        halves.push({ rows: await this.#run(statement, half), refused: [] });
      } catch (error) {
        const reasonOfHalf = this.dialect.rejectionIn(error);
        if (reasonOfHalf === null) throw error;
        halves.push(await this.#rowsAmongBadOnes(statement, half, reasonOfHalf));
      }
    }
    return { rows: halves.flatMap(({ rows }) => rows), refused: halves.flatMap(({ refused }) => refused) };
  }
}

const ATTEMPTS = 5;

/** Reads from one snapshot, and again if it is outdated, or cannot go on after a failed row. */
export async function inSnapshot<Seen>(
  database: Knex,
  dialect: Pick<SourceDialect, 'snapshotMode' | 'rejectionIn' | 'isSnapshotOutdated'>,
  see: (snapshot: Snapshot) => Promise<Seen>,
): Promise<Seen> {
  let outlivesFailures = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transaction(
        (snapshot) => see({ database: snapshot, outlivesFailures }),
        dialect.snapshotMode,
      );
    } catch (error) {
      const isOutdated = dialect.isSnapshotOutdated(error);
      const isFirstUnreadable = !isOutdated && !outlivesFailures && dialect.rejectionIn(error) !== null;
      if (isFirstUnreadable) outlivesFailures = true;
      if (!(isOutdated || isFirstUnreadable) || attempt === ATTEMPTS) throw error;
    }
  }
}
