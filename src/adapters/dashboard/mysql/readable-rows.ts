import type { Knex } from 'knex';
import type { RefusedRow } from '../../../domain/model/source.js';
import { queryRows } from './query-rows.js';

export type Stored = Readonly<Record<string, string | null>>;

export interface Readable {
  readonly rows: readonly Stored[];
  readonly refused: readonly RefusedRow[];
}

/** SQL's class of data exceptions, as in a select that computes: a value out of range, invalid JSON. */
const DATA_EXCEPTION = /^22/;

/**
 * The rows of a statement for some ids. Rows that the server cannot read are refused and do not affect the others. The error does not say
 * which rows they are, so after a failure each half is read separately. Rows whose ids are equal in the dashboard's collation, but not
 * byte by byte, are left out.
 */
export async function readableRows(
  snapshot: Knex,
  statement: (ids: readonly string[]) => string,
  ids: readonly string[],
): Promise<Readable> {
  if (ids.length === 0) return { rows: [], refused: [] };
  try {
    const rows = await queryRows<Stored>(snapshot, statement(ids));
    const requested = new Set(ids);
    return { rows: rows.filter(({ id, key }) => requested.has((key ?? id) as string)), refused: [] };
  } catch (error) {
    const { sqlState, sqlMessage } = error as { sqlState?: string; sqlMessage?: string };
    if (!DATA_EXCEPTION.test(sqlState ?? '')) throw error;
    const [id] = ids;
    if (id !== undefined && ids.length === 1) {
      return { rows: [], refused: [{ id, reason: `the row cannot be read: ${sqlMessage}` }] };
    }
  }
  const middle = Math.ceil(ids.length / 2);
  const one = await readableRows(snapshot, statement, ids.slice(0, middle));
  const other = await readableRows(snapshot, statement, ids.slice(middle));
  return { rows: [...one.rows, ...other.rows], refused: [...one.refused, ...other.refused] };
}
