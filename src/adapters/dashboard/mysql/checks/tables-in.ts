import type { Knex } from 'knex';
import { type DashboardMapping, isSelect, keysOf, presentSelects } from '../../mapping/dashboard-mapping.js';
import { existingTables } from '../capture/capture-facts.js';
import { TOKENS } from '../capture/changed-row.js';

/** Words that end a list of tables: a comma after them does not precede a table. */
const NO_TABLES = ['select', 'where', 'group', 'having', 'order', 'limit', 'union', 'except', 'intersect'];
const LEADS_TO_TABLES = ['from', 'join', 'straight_join'];
const IS_WORD = /^[\p{L}\p{N}_$`]/u;
const IS_NOTHING = /^(?:\s|--|\/\*)/u;

/** The names of the tables that a select reads, as far as its text shows. */
export function tablesIn(select: string): ReadonlySet<string> {
  const tokens = tokensOf(select);
  const tables = new Set<string>();
  // For each open parenthesis, whether a comma inside it precedes a table.
  const lists = [false];
  let isExpected = false;
  for (let index = 0; index < tokens.length; index++) {
    const token = (tokens[index] as string).toLowerCase();
    const last = lists.length - 1;
    if (token === '(') lists.push(isExpected);
    else if (token === ')') lists.pop();
    else if (token === ',') isExpected = lists[last] ?? false;
    else if (LEADS_TO_TABLES.includes(token)) lists[last] = isExpected = true;
    else if (NO_TABLES.includes(token)) lists[last] = isExpected = false;
    else if (isExpected && IS_WORD.test(token)) {
      const isQualified = tokens[index + 1] === '.';
      if (isQualified) index += 2;
      // A function may occur here as well.
      if (isQualified || (tokens[index + 1] !== '(' && token !== 'dual'))
        tables.add(unquoted(tokens[index] ?? ''));
      isExpected = false;
    }
  }
  return tables;
}

function tokensOf(select: string): readonly string[] {
  return (select.match(TOKENS) ?? []).filter((token) => !IS_NOTHING.test(token));
}

function unquoted(token: string): string {
  return token.startsWith('`') ? token.slice(1, -1).replaceAll('``', '`') : token;
}

/**
 * The tables that the worker reads: those that are captured, and those that the selects and the
 * keys name, also views.
 */
export async function tablesOfWorker(database: Knex, mapping: DashboardMapping): Promise<readonly string[]> {
  const keys = mapping.captures.flatMap(({ touches }) => keysOf(touches).map(([, key]) => key));
  const selects = [...presentSelects(mapping).map(({ select }) => select), ...keys.filter(isSelect)];
  // A common table expression is no table.
  const tables = await existingTables(
    database,
    selects.flatMap((select) => [...tablesIn(select)]),
  );
  return [...new Set([...mapping.captures.map(({ table }) => table), ...tables])];
}
