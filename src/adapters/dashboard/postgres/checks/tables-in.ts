import type { Knex } from 'knex';
import { type DashboardMapping, inlined, isSelect, keysOf } from '../../mapping/dashboard-mapping.js';
import { columnsIn } from '../capture/changed-row.js';
import { queryRows } from '../read/query-rows.js';
import { quoted, quotedTable, type TableName, tableName } from '../read/quoted.js';

/** A node of a plan in the output of EXPLAIN. */
interface PlanNode {
  readonly Schema?: string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The tables that a select reads, directly or through a view: its plan shows them. */
export async function tablesIn(database: Knex, select: string): Promise<readonly TableName[]> {
  const explain = `explain (verbose, costs off, format json) select * from ${inlined(select)} as mapped`;
  const rows = await queryRows<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(database, explain);
  const nodes = rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => nodesIn(Plan)));
  return nodes.flatMap(({ Schema: schema, 'Relation Name': name }) =>
    schema === undefined || name === undefined || schema === 'pg_catalog' ? [] : [{ schema, name }],
  );
}

function nodesIn(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesIn)];
}

/** The tables that the worker reads: those of the captures, and those of keys that are selects. */
export async function tablesOfWorker(
  database: Knex,
  { captures }: DashboardMapping,
): Promise<readonly TableName[]> {
  const tables = captures.map(({ table }) => tableName(table));
  for (const { table, touches } of captures) {
    for (const [, key] of keysOf(touches))
      if (isSelect(key)) tables.push(...(await tablesIn(database, selectOfKeys(table, key))));
  }
  return [...new Map(tables.map((table) => [quotedTable(table), table])).values()];
}

/** The keys of a table's rows now. A look-up sees only the columns that it names. */
export function selectOfKeys(table: string, key: string): string {
  const rows = quotedTable(tableName(table));
  if (!isSelect(key)) return `select (${key}\n) as key from ${rows} as changed`;
  const columns = columnsIn(key);
  const subject =
    columns === null
      ? rows
      : `(select ${columns.map((column) => `changed.${quoted(column)}`).join(', ')} from ${rows} as changed)`;
  return `select looked_up.key from ${subject} as changed cross join lateral (\n${key}\n) as looked_up (key)`;
}
