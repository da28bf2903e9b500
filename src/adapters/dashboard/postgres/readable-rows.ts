import type { Knex } from 'knex';
import type { RefusedRow } from '../../../domain/model/source.js';
import { writtenIn } from './native-ids.js';
import { preparedForFew } from './prepared.js';
import { runStatement } from './run-statement.js';
import type { StatementForIds } from './source-statements.js';

type Stored = Record<string, unknown>;

interface Readable {
  readonly rows: readonly Stored[];
  readonly refused: readonly RefusedRow[];
}

/** PostgreSQL's class of data exceptions: bytes that are not text, a value out of range. */
const DATA_EXCEPTION = /^22/;

export function isOfTheData(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DATA_EXCEPTION.test(String(error.code));
}

/** Reads from one snapshot. */
export interface Snapshot {
  readonly database: Knex;
  /** Whether it survives a row that cannot be read. That takes two more statements for each read. */
  readonly outlivesFailures: boolean;
}

/**
 * The rows of a statement for some ids. Rows that PostgreSQL cannot read or send are refused and do not affect the others. The error does
 * not say which rows they are, so after a failure each half is read separately, in a snapshot that survives it.
 */
export async function readableRows(
  snapshot: Snapshot,
  statement: StatementForIds,
  requested: readonly string[],
): Promise<Readable> {
  const { name, sql, idType } = statement;
  const ids = writtenIn(idType, requested);
  if (ids.length === 0) return { rows: [], refused: [] };
  const read = (database: Knex) => runStatement<Stored>(database, sql, [ids], preparedForFew(name, ids));
  const { database, outlivesFailures } = snapshot;
  try {
    const { rows } = await (outlivesFailures ? database.transaction(read) : read(database));
    return { rows, refused: [] };
  } catch (error) {
    if (!outlivesFailures || !isOfTheData(error)) throw error;
    const [id] = ids;
    if (id !== undefined && ids.length === 1) {
      return {
        rows: [],
        refused: [{ id, reason: `the row cannot be read: ${(error as Error).message}` }],
      };
    }
  }
  const middle = Math.ceil(ids.length / 2);
  const one = await readableRows(snapshot, statement, ids.slice(0, middle));
  const other = await readableRows(snapshot, statement, ids.slice(middle));
  return { rows: [...one.rows, ...other.rows], refused: [...one.refused, ...other.refused] };
}
