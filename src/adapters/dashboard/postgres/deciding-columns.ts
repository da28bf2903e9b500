import type { PlanNode } from './plans.js';
import type { TableName } from './table-name.js';

const CONDITION = /(Cond|Filter|Call)$/;
/** A qualified column (`alias.column`): EXPLAIN VERBOSE qualifies all of them. */
const COLUMN = /("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)\.("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)/gu;

/** For each table of a plan, the columns that decide which rows are found: those in conditions, including joins. */
export function decidingColumns(
  nodes: readonly PlanNode[],
): readonly { readonly table: TableName; readonly columns: ReadonlySet<string> }[] {
  const columns = nodes.flatMap((node) =>
    Object.entries(node).flatMap(([key, value]) =>
      CONDITION.test(key) && typeof value === 'string' ? [...value.matchAll(COLUMN)] : [],
    ),
  );
  return nodes.flatMap(({ Schema: schema, 'Relation Name': name, Alias: alias }) => {
    if (schema === undefined || name === undefined || alias === undefined) return [];
    const own = columns.flatMap(([, table = '', column = '']) =>
      plain(table) === alias ? [plain(column)] : [],
    );
    return [{ table: { schema, name }, columns: new Set(own) }];
  });
}

function plain(identifier: string): string {
  return identifier.startsWith('"') ? identifier.slice(1, -1).replaceAll('""', '"') : identifier;
}
