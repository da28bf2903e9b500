import type { Knex } from 'knex';
import { SelectFails } from '../../../domain/errors.js';
import type { RefusedRow } from '../../../domain/model/source.js';
import type { Snapshot, SourceDialect, SourceTables, StatementForIds, Stored } from './source-dialect.js';

/** Finding each bad row takes a dozen statements, and a revocation waits for them. */
const MAX_ROWS_AMONG_BAD_ONES = 64;

interface Readable {
  readonly rows: readonly Stored[];
  readonly refused: readonly RefusedRow[];
}

/** The first of some ids, which are read after a failure for all of them. */
export function amongBadOnes(ids: readonly string[]): readonly string[] {
  return ids.slice(0, MAX_ROWS_AMONG_BAD_ONES);
}

/**
 * The rows of some ids. If the server rejects a statement for one id, that row is refused and the
 * others are read, by halves.
 */
export async function readableRows<Tables extends SourceTables>(
  snapshot: Snapshot,
  dialect: SourceDialect<Tables>,
  tables: Tables,
  statement: StatementForIds,
  ids: readonly string[],
): Promise<Readable> {
  if (ids.length === 0) return { rows: [], refused: [] };
  const run = (some: readonly string[]) => dialect.rows(snapshot, tables, statement, some);
  const rejectionIn = (error: unknown) => dialect.rejectionIn(error);
  try {
    return { rows: await run(ids), refused: [] };
  } catch (error) {
    if (!snapshot.outlivesFailures || rejectionIn(error) === null) throw error;
    await requireForNone();
  }
  return readableHalves(ids);

  async function requireForNone(): Promise<void> {
    try {
      await run([]);
    } catch (error) {
      const reason = rejectionIn(error);
      throw reason === null ? error : new SelectFails(reason, { cause: error });
    }
  }

  async function readableHalves(some: readonly string[]): Promise<Readable> {
    const middle = Math.ceil(some.length / 2);
    const first = await readablePart(some.slice(0, middle));
    const second = await readablePart(some.slice(middle));
    return { rows: [...first.rows, ...second.rows], refused: [...first.refused, ...second.refused] };
  }

  async function readablePart(some: readonly string[]): Promise<Readable> {
    const [id] = some;
    if (id === undefined) return { rows: [], refused: [] };
    try {
      return { rows: await run(some), refused: [] };
    } catch (error) {
      const reason = rejectionIn(error);
      if (reason === null) throw error;
      if (some.length > 1) return readableHalves(some);
      return { rows: [], refused: [{ id, reason: `the row cannot be read: ${reason}` }] };
    }
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
