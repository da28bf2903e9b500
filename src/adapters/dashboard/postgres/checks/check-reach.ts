import type { Knex } from 'knex';
import { type CapturedTable, isSelect, type SourceName } from '../../mapping/dashboard-mapping.js';
import { runStatement } from '../read/query-rows.js';
import { quotedTable, shownTable, type TableName } from '../read/quoted.js';
import type { PlanNode } from './check-walks.js';

const CONDITION = /(Cond|Filter|Call)$/;
/** A qualified column (`alias.column`): EXPLAIN VERBOSE qualifies all of them. */
const COLUMN = /("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)\.("(?:[^"]|"")+"|[\p{L}_][\p{L}\p{N}_$]*)/gu;

/** Rows that show other rows are found by ids as they are now. That misses rows that a change has just unlinked. */
const FOUND_BY_ID: Readonly<Partial<Record<SourceName, 'blogs' | 'categories' | 'tags'>>> = {
  blogs: 'blogs',
  categories: 'categories',
  tags: 'tags',
  blog_categories: 'blogs',
  blog_tags: 'blogs',
};
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/gu;

/**
 * Captured tables by whose columns a select finds rows of another kind: a blog that is linked to a category by its name would keep the
 * category after it is renamed. The columns that identify a row do not change, or their change touches everything that refers to the row.
 */
export async function checkReach(
  database: Knex,
  source: SourceName,
  nodes: readonly PlanNode[],
  captureOf: (table: TableName) => CapturedTable | null,
): Promise<readonly string[]> {
  const kind = FOUND_BY_ID[source];
  if (kind === undefined) return [];
  const warnings: string[] = [];
  for (const { table, columns } of decidingColumns(nodes)) {
    const captured = captureOf(table);
    const touches = captured?.touches ?? {};
    if (touches === 'everything') continue;
    if (Object.keys(touches).length === 0 || touches[kind] !== undefined) continue;
    const known = await knownBy(database, table, Object.values(touches));
    const others = [...columns].filter((column) => !known.has(column)).sort();
    if (others.length > 0) {
      warnings.push(
        `${source}: the select finds rows by ${others.join(', ')} of ${shownTable(table)}, whose capture does not list ${kind}: after a change of these columns, ` +
          `${kind} are outdated until the worker reconciles them; add ${kind} with the key of the affected rows`,
      );
    }
  }
  return warnings;
}

/** The columns of its primary key, and those that its own keys use. */
async function knownBy(
  database: Knex,
  table: TableName,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await runStatement<{ name: string }>(
    database,
    `select attname as name from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
     where indisprimary and indrelid = to_regclass($1)`,
    [quotedTable(table)],
  );
  const words = keys.filter((key) => !isSelect(key)).flatMap((key) => key.match(WORD) ?? []);
  return new Set([...rows.map(({ name }) => name), ...words.map((word) => word.toLowerCase())]);
}

/** For each table of a plan, the columns that decide which rows are found: those in conditions, including joins. */
function decidingColumns(
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
