import type { Knex } from 'knex';
import type { RefusedRow } from '../../../domain/model/refused-row.js';
import { ask } from './ask.js';

export type Stored = Readonly<Record<string, string | null>>;

export interface Readable {
  readonly rows: readonly Stored[];
  readonly refused: readonly RefusedRow[];
}

/** What SQL calls an exception of the data, as of a select that computes: a value that is out of range, JSON that is none. */
const DATA_EXCEPTION = /^22/;

/**
 * What a statement answers for some ids; the rows that the server cannot read are refused, and do not hold back the others. It does not say
 * which ones they are: after a failure each half is read by itself. What is the same to the dashboard's collation, and not to the byte, is left out.
 */
export async function readableRows(
  snapshot: Knex,
  statement: (ids: readonly string[]) => string,
  ids: readonly string[],
): Promise<Readable> {
  if (ids.length === 0) return { rows: [], refused: [] };
  try {
    const rows = await ask<Stored>(snapshot, statement(ids));
    const asked = new Set(ids);
    return { rows: rows.filter(({ id, key }) => asked.has((key ?? id) as string)), refused: [] };
  } catch (error) {
    const { sqlState, sqlMessage } = error as { sqlState?: string; sqlMessage?: string };
    if (!DATA_EXCEPTION.test(sqlState ?? '')) throw error;
    const [id] = ids;
    if (id !== undefined && ids.length === 1) {
      return { rows: [], refused: [{ id, reason: `it cannot be read: ${sqlMessage}` }] };
    }
  }
  const middle = Math.ceil(ids.length / 2);
  const one = await readableRows(snapshot, statement, ids.slice(0, middle));
  const other = await readableRows(snapshot, statement, ids.slice(middle));
  return { rows: [...one.rows, ...other.rows], refused: [...one.refused, ...other.refused] };
}
