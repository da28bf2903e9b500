import type { Knex } from 'knex';
import { type Readable, readableRows as readableRowsOf, type Snapshot } from '../source/readable-rows.js';
import { writtenIn } from './native-ids.js';
import { isOutdated, preparedForFew } from './prepared.js';
import { runStatement } from './run-statement.js';
import type { StatementForIds } from './source-statements.js';

type Stored = Record<string, unknown>;

/**
 * Errors whose cause is not a row: connections (08), conflicts (40), resources (53), operators (57), files (58), a locked table. A function
 * that a select calls can raise any other error.
 */
const NOT_OF_A_ROW = /^(08|40|53|57|58|55P03)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

export function rejectionIn(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error) || isOutdated(error)) return null;
  const code = String(error.code);
  return SQLSTATE.test(code) && !NOT_OF_A_ROW.test(code) ? error.message : null;
}

/** The rows of a statement for some ids. */
export async function readableRows(
  { database, outlivesFailures }: Snapshot,
  { name, sql, idType }: StatementForIds,
  requested: readonly string[],
): Promise<Readable<Stored>> {
  const run = async (ids: readonly string[]) => {
    const read = (on: Knex) => runStatement<Stored>(on, sql, [ids], preparedForFew(name, ids));
    const { rows } = await (outlivesFailures ? database.transaction(read) : read(database));
    return rows;
  };
  return readableRowsOf({ run, rejectionIn }, writtenIn(idType, requested), outlivesFailures);
}
