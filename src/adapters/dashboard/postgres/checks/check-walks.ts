import type { Knex } from 'knex';
import type { Walk } from '../../source/source-dialect.js';
import { SOURCE_OF } from '../../source/source-dialect.js';
import { nextKeysIn } from '../read/keys-in-scope.js';
import { familyOf, type MappedTables } from '../read/mapped-tables.js';
import { rolledBack, runStatement, WrittenValues } from '../read/query-rows.js';
import { quotedTable, shownTable, type TableName } from '../read/quoted.js';

/** Reading all rows of a table smaller than this is fast enough. */
const SMALL_TABLE_ROWS = 1_000;
const ANY_UUID = '00000000-0000-0000-0000-000000000000';

/** A node of a plan in the output of EXPLAIN. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly Schema?: string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The large tables that a step of a walk reads completely, because no index finds the rows. */
export async function scannedBy(
  database: Knex,
  walk: Walk,
  tables: MappedTables,
): Promise<readonly string[]> {
  const statement = nextKeysIn(inTypeOf(tables, walk), tables, new WrittenValues());
  if (statement === null) return [];
  const nodes = await planOf(database, statement);
  const isSorted = walk.scope.of === 'everything' && nodes.some((node) => node['Node Type'] === 'Sort');
  const large = new Set<string>();
  for (const node of nodes) {
    const { Schema: schema, 'Relation Name': name } = node;
    if (schema === undefined || name === undefined || !(isSorted || readsAll(node))) continue;
    if (await isLarge(database, { schema, name })) large.add(shownTable({ schema, name }));
  }
  return [...large];
}

function inTypeOf({ idType }: MappedTables, { scope, kind, after, limit }: Walk): Walk {
  const keyFor = (type: string, value: string) => (familyOf(type) === 'uuid' ? ANY_UUID : value);
  return {
    scope:
      'keys' in scope ? { ...scope, keys: scope.keys.map((key) => keyFor(idType[scope.of], key)) } : scope,
    kind,
    after: after === null ? null : keyFor(idType[SOURCE_OF[kind]], after),
    limit,
  };
}

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

function allOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(allOf)];
}

/** A scan of a whole index counts too. That a key is not null excludes almost nothing. */
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
