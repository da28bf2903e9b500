import type { Knex } from 'knex';
import type { DashboardMapping } from '../../mapping/dashboard-mapping.js';
import type { MappingFindings } from '../../mapping/mapping-findings.js';
import { checkMapping as check } from '../../source/check-mapping.js';
import { TableLocked } from '../../source/table-locked.js';
import { LOCK_NOT_AVAILABLE } from '../capture/capture.js';
import { capturedMapping, capturedRelations } from '../capture/captured-tables.js';
import { describedSelect, inlined } from '../read/described-select.js';
import { mappedTables } from '../read/mapped-tables.js';
import { rolledBack, runStatement } from '../read/query-rows.js';
import { shownTable } from '../read/quoted.js';
import { checkCapture, checkOverlaps } from './check-captures.js';
import { checkClock } from './check-clock.js';
import { judgeOf } from './check-columns.js';
import { planOf, scannedBy } from './check-walks.js';

/** What is wrong with a mapping in this database. Creates and changes nothing. */
export async function checkMapping(database: Knex, mapping: DashboardMapping): Promise<MappingFindings> {
  return check(mapping, {
    hasTimeZone: async (zone) =>
      (await database.raw('select from pg_timezone_names where name = ?', [zone])).rows.length > 0,
    describe: (select) => rolledBack(database, (attempt) => describedSelect(attempt, select)),
    judge: (columns) => judgeOf(columns, mapping),
    checkCaptures: async (columnsOf) => {
      const problems: string[] = [];
      for (const captured of mapping.captures)
        problems.push(...(await checkCapture(database, captured, columnsOf)));
      return [...problems, ...(await checkOverlaps(database, mapping))];
    },
    tablesReadBy: (select) => tablesReadBy(database, mapping, select),
    checkClock: (source, select) => checkClock(database, source, select),
    query: async (statement) =>
      (await rolledBack(database, (attempt) => runStatement<Record<string, unknown>>(attempt, statement)))
        .rows,
    tables: (columnsOf) => mappedTables(mapping, columnsOf),
    scannedBy: (walk, tables) => scannedBy(database, walk, tables),
    refusalIn,
    textOf: (id) => `${id}::text`,
    isNoHash: `(key_hash !~ '^[0-9a-f]{64}$')`,
  });
}

/** Directly, or through a view: the plan shows it. */
async function tablesReadBy(database: Knex, mapping: DashboardMapping, select: string) {
  const relations = await capturedRelations(database, capturedMapping(mapping));
  const captures = new Map(relations.map(({ relation, captured }) => [relation, mapping.captures[captured]]));
  const nodes = await planOf(database, `select * from ${inlined(select)} as mapped`);
  return nodes.flatMap(({ Schema: schema, 'Relation Name': name }) => {
    if (schema === undefined || name === undefined || schema === 'pg_catalog') return [];
    const table = shownTable({ schema, name });
    return [{ table, capture: captures.get(table) ?? null }];
  });
}

/** PostgreSQL often suggests the column, for example one whose capitals need quotes. */
function refusalIn(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) throw error;
  if (error.code === LOCK_NOT_AVAILABLE) throw new TableLocked('a table that the mapping reads');
  return 'hint' in error && typeof error.hint === 'string'
    ? `${error.message} (${error.hint})`
    : error.message;
}
