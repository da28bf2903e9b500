import type { Knex } from 'knex';
import type { Walk } from '../../source/source-dialect.js';
import { nextKeysIn } from '../read/keys-in-scope.js';
import type { MappedTables } from '../read/mapped-tables.js';
import { queryRows } from '../read/query-rows.js';

/** Reading all rows of a table smaller than this is fast enough. */
const SMALL_TABLE_ROWS = 1_000;

interface PlannedTable {
  readonly table: string | null;
  readonly type: string | null;
  readonly rows: string | null;
}

/** The large tables that a step of a walk reads completely, because no index finds the rows. */
export async function scannedBy(
  database: Knex,
  walk: Walk,
  tables: MappedTables,
): Promise<readonly string[]> {
  const statement = nextKeysIn(walk, tables);
  if (statement === null) return [];
  const plan = await planOf(database, statement);
  const scans = plan.flatMap(({ table, type, rows }) =>
    type === 'ALL' && Number(rows) > SMALL_TABLE_ROWS && table !== null && !table.startsWith('<')
      ? [table]
      : [],
  );
  return [...new Set(scans)];
}

/** Only who may see the text of a view gets its plan: `migrate` may, the worker may not. */
async function planOf(database: Knex, statement: string): Promise<readonly PlannedTable[]> {
  return queryRows<PlannedTable>(database, `explain ${statement}`).catch((error: { code?: string }) => {
    if (error.code !== 'ER_VIEW_NO_EXPLAIN') throw error;
    return [];
  });
}
