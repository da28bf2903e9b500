import type { Knex } from 'knex';
import type { RefusedRow } from '../../../domain/model/refused-row.js';
import { writtenIn } from './native-ids.js';
import { preparedForFew } from './prepared.js';
import { runStatement } from './run-statement.js';
import type { StatementForIds } from './source-statements.js';

type Stored = Record<string, unknown>;

interface Readable {
  readonly rows: readonly Stored[];
  readonly refused: readonly RefusedRow[];
}

/** What PostgreSQL calls an exception of the data: bytes that are no text, a value that is out of range. */
const DATA_EXCEPTION = /^22/;

export function isOfTheData(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DATA_EXCEPTION.test(String(error.code));
}

/** Reads of one moment. */
export interface Snapshot {
  readonly database: Knex;
  /** Whether it goes on where a row cannot be read. That takes two statements more for each one. */
  readonly outlivesFailures: boolean;
}

/**
 * What a statement answers for some ids; the rows that PostgreSQL cannot read or send are refused, and do not hold back the others. It does not say which
 * ones they are: after a failure each half is read by itself, in a snapshot that outlives it.
 */
export async function readableRows(
  snapshot: Snapshot,
  statement: StatementForIds,
  asked: readonly string[],
): Promise<Readable> {
  const { name, sql, idType } = statement;
  const ids = writtenIn(idType, asked);
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
        refused: [{ id, reason: `it cannot be read: ${(error as Error).message}` }],
      };
    }
  }
  const middle = Math.ceil(ids.length / 2);
  const one = await readableRows(snapshot, statement, ids.slice(0, middle));
  const other = await readableRows(snapshot, statement, ids.slice(middle));
  return { rows: [...one.rows, ...other.rows], refused: [...one.refused, ...other.refused] };
}
