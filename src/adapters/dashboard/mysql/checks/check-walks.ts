import type { Knex } from 'knex';
import type { RowKind } from '../../../../domain/model/read-model.js';
import { FINDINGS } from '../../mapping/mapping-findings.js';
import { SOURCE_OF } from '../../source/source-dialect.js';
import { nextKeysIn } from '../read/keys-in-scope.js';
import type { MappedTables } from '../read/mapped-tables.js';
import { queryRows } from '../read/query-rows.js';

const MANY_ROWS = 1_000;

/** Walks through all rows of which each step would read the whole table. */
export async function unindexedWalks(database: Knex, tables: MappedTables): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const kind of Object.keys(SOURCE_OF) as RowKind[]) {
    const walk = nextKeysIn({ scope: { of: 'everything' }, kind, after: '0', limit: 1 }, tables);
    const plan = await planOf(database, walk ?? '');
    const whole = plan.find(
      ({ type, rows, table }) => type === 'ALL' && Number(rows) > MANY_ROWS && !table.startsWith('<'),
    );
    if (whole === undefined) continue;
    warnings.push(FINDINGS.walkScans(SOURCE_OF[kind], whole.table));
  }
  return warnings;
}

/** The server shows the plan of a view only to a user who may see its text: `migrate` may, the worker's user may not. */
async function planOf(database: Knex, statement: string): Promise<readonly PlannedTable[]> {
  return queryRows<PlannedTable>(database, `explain ${statement}`).catch((error: { code?: string }) => {
    if (error.code !== 'ER_VIEW_NO_EXPLAIN') throw error;
    return [];
  });
}

interface PlannedTable {
  readonly table: string;
  readonly type: string;
  readonly rows: string | null;
}
