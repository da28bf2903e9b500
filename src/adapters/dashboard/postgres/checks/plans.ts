import type { Knex } from 'knex';
import { runStatement } from '../read/run-statement.js';
import { rolledBack } from './rolled-back.js';

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
