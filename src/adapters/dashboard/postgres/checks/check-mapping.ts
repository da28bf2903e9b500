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
import { keyProblem, relationProblems, tableProblem } from './check-captures.js';
import { judgeOf } from './check-columns.js';

const NO_CODE = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g;
const CLOCK = {
  functions: [
    'now',
    'statement_timestamp',
    'transaction_timestamp',
    'clock_timestamp',
    'timeofday',
    'random',
    'gen_random_uuid',
  ],
  words: ['current_date', 'current_time', 'current_timestamp', 'localtime', 'localtimestamp'],
};

/** What is wrong with a mapping in this database. Creates and changes nothing. */
export async function checkMapping(database: Knex, mapping: DashboardMapping): Promise<MappingFindings> {
  return check(mapping, {
    hasTimeZone: async (zone) =>
      (await database.raw('select from pg_timezone_names where name = ?', [zone])).rows.length > 0,
    describe: (select) => rolledBack(database, (attempt) => describedSelect(attempt, select)),
    judge: (columns) => judgeOf(columns, mapping),
    tableProblem: (captured) => tableProblem(database, captured),
    keyProblem: (captured, kind, key, columnsOf) => keyProblem(database, captured, key, columnsOf[kind]),
    relationProblems: () => relationProblems(database, mapping),
    tablesReadBy: (select) => tablesReadBy(database, mapping, select),
    query: async (statement) =>
      (await rolledBack(database, (attempt) => runStatement<Record<string, unknown>>(attempt, statement)))
        .rows,
    tables: (columnsOf) => mappedTables(mapping, columnsOf),
    refusalIn,
    textOf: (id) => `${id}::text`,
    isNoHash: `(key_hash !~ '^[0-9a-f]{64}$')`,
    noCode: NO_CODE,
    clock: CLOCK,
  });
}

/** Directly, or through a view: the plan shows it. */
async function tablesReadBy(database: Knex, mapping: DashboardMapping, select: string) {
  const relations = await capturedRelations(database, capturedMapping(mapping));
  const captures = new Map(relations.map(({ relation, captured }) => [relation, mapping.captures[captured]]));
  const nodes = await planOf(database, select);
  return nodes.flatMap(({ Schema: schema, 'Relation Name': name }) => {
    if (schema === undefined || name === undefined || schema === 'pg_catalog') return [];
    const table = shownTable({ schema, name });
    return [{ table, capture: captures.get(table) ?? null }];
  });
}

/** A node of a plan in the output of EXPLAIN. */
interface PlanNode {
  readonly Schema?: string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

async function planOf(database: Knex, select: string): Promise<readonly PlanNode[]> {
  const explain = `explain (verbose, costs off, format json) select * from ${inlined(select)} as mapped`;
  const { rows } = await rolledBack(database, (attempt) =>
    runStatement<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(attempt, explain),
  );
  const nodesIn = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesIn)];
  return rows.flatMap((row) => nodesIn(row['QUERY PLAN'][0].Plan));
}

/** PostgreSQL often suggests the column, for example one whose capitals need quotes. */
function refusalIn(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) throw error;
  if (error.code === LOCK_NOT_AVAILABLE) throw new TableLocked('a table that the mapping reads');
  return 'hint' in error && typeof error.hint === 'string'
    ? `${error.message} (${error.hint})`
    : error.message;
}
