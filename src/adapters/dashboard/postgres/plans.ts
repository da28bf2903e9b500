import type { Knex } from 'knex';
import { runStatement } from './run-statement.js';
import { withoutTrace } from './without-trace.js';

/** A node of a plan, as EXPLAIN tells it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly Schema?: string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** All nodes of the plan that a statement has where tables are not read from one end to the other if anything else is possible. */
export async function planOf(database: Knex, statement: string): Promise<readonly PlanNode[]> {
  return withoutTrace(database, async (transaction) => {
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
