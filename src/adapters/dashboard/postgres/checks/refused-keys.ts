import type { Knex } from 'knex';
import { type CapturedTable, type DashboardMapping, isSelect } from '../../mapping/dashboard-mapping.js';
import { CAPTURE_SEARCH_PATH } from '../capture/generated-function.js';
import { columnsOfChanged } from '../capture/lookup-function.js';
import { quoted, quotedTable, tableName } from '../read/table-name.js';
import { tryToDescribe } from './try-to-describe.js';

/** The triggers run with the rights of their owner; the worker may have fewer. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** A select of the current keys of a captured table's rows. A look-up only sees the columns of the changed row that it names. */
export function selectOfKeys({ table }: CapturedTable, key: string): string {
  const rows = quotedTable(tableName(table));
  if (!isSelect(key)) return `select (${key}\n) as key from ${rows} as changed`;
  const columns = columnsOfChanged(key);
  const named =
    columns === null
      ? rows
      : `(select ${columns.map((column) => `changed.${quoted(column)}`).join(', ')} from ${rows} as changed)`;
  return `select looked_up.key from ${named} as changed cross join lateral (\n${key}\n) as looked_up (key)`;
}

/**
 * Keys that PostgreSQL no longer accepts, for a reason that is not reported yet. With such a key, every change of the table has everything
 * read again.
 */
export async function refusedKeys(
  database: Knex,
  { captures }: DashboardMapping,
  reported: ReadonlySet<string>,
): Promise<readonly string[]> {
  const selects = captures.flatMap((captured) =>
    Object.entries(captured.touches === 'everything' ? {} : captured.touches).map(([kind, key]) => ({
      name: `captures.${captured.table}.${kind}`,
      select: selectOfKeys(captured, key),
    })),
  );
  const settings = `set local search_path = ${CAPTURE_SEARCH_PATH}`;
  const { refusals } = await tryToDescribe(database, selects, settings);
  return refusals
    .filter(({ code, message }) => code !== INSUFFICIENT_PRIVILEGE && !reported.has(message))
    .map(({ name, message }) => `${name}: ${message}`);
}
