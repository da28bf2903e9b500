import type { Knex } from 'knex';
import { queryRows, run } from '../../../sql/postgres/query-rows.js';
import {
  type DashboardMapping,
  inlined,
  isSelect,
  keysOf,
  presentSelects,
} from '../../mapping/dashboard-mapping.js';
import { columnsIn } from '../capture/changed-row.js';
import { quoted, quotedTable, type TableName, tableName } from '../read/quoted.js';
import { WORDS } from '../words.js';

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

const READ_BY_VIEW = `
  select distinct nspname as schema, relname as name
  from pg_depend join pg_rewrite on classid = 'pg_rewrite'::regclass and pg_rewrite.oid = objid
    join pg_class on refclassid = 'pg_class'::regclass and pg_class.oid = refobjid
    join pg_namespace on pg_namespace.oid = relnamespace
  where ev_class = 'pg_temp.read_by_worker'::regclass and refobjid <> ev_class and nspname <> 'information_schema'
  order by 1, 2`;

/** The tables and views that the selects, captures and keys name. Creates nothing. */
export async function tablesOfWorker(
  database: Knex,
  mapping: DashboardMapping,
): Promise<readonly TableName[]> {
  const ofCaptures = mapping.captures.flatMap(({ table, touches }) => [
    `table ${quotedTable(tableName(table))}`,
    ...keysOf(touches).flatMap(([, key]) => (isSelect(key) ? [selectOfKeys(table, key)] : [])),
  ]);
  const selects = [...presentSelects(mapping).map(({ select }) => select), ...ofCaptures];
  const all = selects.map((select) => `select 1 from ${inlined(select)} as mapped`).join('\nunion all ');
  const transaction = await database.transaction();
  try {
    if (mapping.hasManagedKeys) for (const statement of WORDS.createKeys) await run(transaction, statement);
    // The catalog lists what a view reads.
    await run(transaction, `create temporary view read_by_worker as ${all}`);
    return await queryRows<TableName>(transaction, READ_BY_VIEW);
  } finally {
    await transaction.rollback();
  }
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
