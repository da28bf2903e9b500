import type { Knex } from 'knex';
import type { WalkedScope } from '../../../../domain/model/job.js';
import type { RowKind } from '../../../../domain/model/read-model.js';
import { type CapturedTable, isSelect } from '../../mapping/dashboard-mapping.js';
import { FINDINGS } from '../../mapping/mapping-findings.js';
import { SOURCE_OF, type Walk } from '../../source/source-dialect.js';
import { columnsOfChanged } from '../capture/lookups.js';
import { describedSelect } from '../read/described-select.js';
import { nextKeysIn } from '../read/keys-in-scope.js';
import { familyOf, type MappedTables } from '../read/mapped-tables.js';
import { rolledBack, runStatement, WrittenValues } from '../read/query-rows.js';
import { quoted, quotedTable, shownTable, type TableName, tableName } from '../read/quoted.js';

/** Reading all rows of a table smaller than this is fast enough. */
const SMALL_TABLE_ROWS = 1_000;
const KINDS: readonly RowKind[] = ['apiKeys', 'categories', 'tags', 'blogs'];
const SAMPLES = { text: 'a', number: '1', uuid: '00000000-0000-0000-0000-000000000000' };

/** Walks that read a large table completely for each step, because no index finds the rows. */
export async function checkWalks(database: Knex, tables: MappedTables): Promise<readonly string[]> {
  const warnings: string[] = [];
  const sampleOf = (type: string) => SAMPLES[familyOf(type) ?? 'text'];
  const checkWalk = async (finding: (table: string) => string, walk: Walk, isOnlyById: boolean) => {
    for (const table of await unindexed(database, tables, walk, isOnlyById)) {
      warnings.push(finding(table));
    }
  };
  for (const kind of KINDS) {
    const after = sampleOf(tables.idType[SOURCE_OF[kind]]);
    await checkWalk(
      (table) => FINDINGS.walkScans(SOURCE_OF[kind], table),
      { scope: { of: 'everything' }, kind, after, limit: 100 },
      true,
    );
    for (const of of ['websites', 'categories', 'tags'] as const) {
      const scope: WalkedScope = { of, keys: [sampleOf(tables.idType[of])] };
      await checkWalk(
        (table) =>
          `${SOURCE_OF[kind]}: finding the rows affected by a change of one of the ${of} scans all of ${table}; create an index on the column that refers to the ${of}`,
        { scope, kind, after: null, limit: 100 },
        false,
      );
    }
  }
  return warnings;
}

/** Selects of keys that read a large table completely for each changed row. */
export async function checkLookups(
  database: Knex,
  captures: readonly CapturedTable[],
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const captured of captures) {
    const touches = captured.touches === 'everything' ? {} : captured.touches;
    for (const [kind, key] of Object.entries(touches)) {
      if (!isSelect(key)) continue;
      const statement = await lookupOfOneRow(database, captured, key);
      for (const table of await readWhole(database, statement, false)) {
        warnings.push(
          `captures.${captured.table}.${kind}: the select scans all of ${table} for each changed row; create an index on the column that it compares with changed`,
        );
      }
    }
  }
  return warnings;
}

async function unindexed(
  database: Knex,
  tables: MappedTables,
  walk: Walk,
  isOnlyById: boolean,
): Promise<ReadonlySet<string>> {
  const statement = nextKeysIn(walk, tables, new WrittenValues());
  return statement === null ? new Set() : readWhole(database, statement, isOnlyById);
}

async function readWhole(
  database: Knex,
  statement: string,
  isOnlyById: boolean,
): Promise<ReadonlySet<string>> {
  const nodes = await planOf(database, statement);
  const isSorted = isOnlyById && nodes.some((node) => node['Node Type'] === 'Sort');
  const large = new Set<string>();
  for (const node of nodes) {
    const { Schema: schema, 'Relation Name': name } = node;
    if (schema === undefined || name === undefined || !(isSorted || readsAll(node))) continue;
    if (await isLarge(database, { schema, name })) large.add(shownTable({ schema, name }));
  }
  return large;
}

/**
 * A scan of a whole index counts as well. A condition that a key is not null excludes almost nothing: PostgreSQL 16 and older add it even
 * if no row can have null, and newer versions if one could.
 */
function readsAll(node: PlanNode): boolean {
  if (node['Node Type'] === 'Seq Scan') return true;
  const conditions = node['Index Cond']?.split(' AND ') ?? [];
  return (
    /^Index (Only )?Scan$/.test(node['Node Type']) &&
    conditions.every((condition) => /IS NOT NULL\)+$/.test(condition))
  );
}

/** Counted, because a table that was just filled has no statistics. */
async function isLarge(database: Knex, table: TableName): Promise<boolean> {
  const { rows }: { rows: [{ is_large: boolean }] } = await database.raw(
    `select count(*) = ${SMALL_TABLE_ROWS} as is_large from (select from ${quotedTable(table)} limit ${SMALL_TABLE_ROWS}) as first_rows`,
  );
  return rows[0].is_large;
}

/** The look-up of the keys of one changed row, as the table's function does it. It is only used for a plan. */
async function lookupOfOneRow(database: Knex, { table }: CapturedTable, select: string): Promise<string> {
  const named = columnsOfChanged(select)?.map(quoted).join(', ');
  const columns = await describedSelect(
    database,
    `select ${named ?? '*'} from ${quotedTable(tableName(table))}`,
  );
  const typed = columns.map(({ name, type }) => `${quoted(name)} ${type}`);
  const row = `jsonb_to_record('{}') as changed (${typed.length === 0 ? 'nothing text' : typed.join(', ')})`;
  return `select looked_up.key from ${row} cross join lateral (\n${select}\n) as looked_up (key)`;
}

/** A node of a plan in the output of EXPLAIN. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly Schema?: string;
  readonly 'Relation Name'?: string;
  readonly 'Parent Relationship'?: string;
  readonly Alias?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** What a node does with the rows of the node below it, and its name for that node. */
const PASSES_ON = [
  'Subquery Scan',
  'Result',
  'ProjectSet',
  'Sort',
  'Incremental Sort',
  'Unique',
  'Gather',
  'Gather Merge',
];
const FOR_ROWS = ['Outer', 'Subquery'];

/** All nodes of a statement's plan, with sequential scans only where nothing else is possible. */
export async function planOf(database: Knex, statement: string): Promise<readonly PlanNode[]> {
  return rolledBack(database, async (transaction) => {
    await transaction.raw('set local enable_seqscan = off');
    const { rows } = await runStatement<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
      transaction,
      `explain (verbose, costs off, format json) ${statement}`,
    );
    return rows[0] === undefined ? [] : allOf(rows[0]['QUERY PLAN'][0].Plan);
  });
}

/**
 * Whether a statement takes only some of the rows that it finds, so that a row depends on the others. Look-ups for a row do not count,
 * since any of their rows will do.
 */
export function hasLimit(nodes: readonly PlanNode[]): boolean {
  const [top] = nodes;
  if (top === undefined) return false;
  if (top['Node Type'] === 'Limit') return true;
  const rows = top.Plans?.filter((node) => FOR_ROWS.includes(node['Parent Relationship'] ?? '')) ?? [];
  return PASSES_ON.includes(top['Node Type']) && hasLimit(rows);
}

function allOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(allOf)];
}
