import type { Knex } from 'knex';
import { RowRefused } from '../../domain/errors.js';
import type { AnySlice, ReadModelSlice, RowKind } from '../../domain/model/read-model.js';
import { copyRows } from './copy-rows.js';
import type { ChangedRow } from './moved-rows.js';
import { READ_TABLES, type ReadTable, toRecords } from './read-table.js';
import { anyRowExists, QUARANTINE_ROWS, replaceRows } from './replace-rows.js';

/** Errors for data that PostgreSQL cannot store: invalid values, violated constraints, rows that are too large for an index. */
const REFUSED = /^(22|23|54)/;

/** For fewer rows, the two additional queries cost more than they save. */
const MIN_COPIED_ROWS = 50;

/** Replaces the rows with the ids of a slice by those of the slice, and returns the rows that were written or deleted. */
export async function replaceSlice<Kind extends RowKind>(
  transaction: Knex.Transaction,
  { kind, ids, rows, refused }: ReadModelSlice<Kind> | AnySlice,
): Promise<readonly ChangedRow[]> {
  const table = READ_TABLES[kind] as ReadTable<(typeof rows)[number]>;
  const refusedJson = JSON.stringify(refused);
  try {
    if (rows.length >= MIN_COPIED_ROWS && !(await anyExist(transaction, table, ids))) {
      await copyRows(transaction, table, rows);
      await transaction.raw(QUARANTINE_ROWS, { ids, kind, refused: refusedJson });
      return rows.map((row) => ({
        kind,
        organizationId: row.organizationId,
        id: row.id,
        websiteId: 'websiteId' in row ? row.websiteId : null,
      }));
    }
    const bindings = { records: toRecords(table, rows), ids, kind, refused: refusedJson };
    const changed: { rows: Omit<ChangedRow, 'kind'>[] } = await transaction.raw(replaceRows(table), bindings);
    return changed.rows.map((row) => ({ ...row, kind }));
  } catch (error) {
    if (error instanceof Error && 'code' in error && REFUSED.test(String(error.code))) {
      throw new RowRefused(error.message.split(' - ').at(-1));
    }
    throw error;
  }
}

async function anyExist(
  transaction: Knex.Transaction,
  table: ReadTable<never>,
  ids: readonly string[],
): Promise<boolean> {
  const { rows }: { rows: [{ any_row_exists: boolean }] } = await transaction.raw(anyRowExists(table), {
    ids,
  });
  return rows[0].any_row_exists;
}
