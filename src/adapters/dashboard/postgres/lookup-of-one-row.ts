import type { Knex } from 'knex';
import type { CapturedTable } from '../mapping/dashboard-mapping.js';
import { describedSelect } from './described-select.js';
import { columnsOfChanged } from './lookup-function.js';
import { quoted, quotedTable, tableName } from './table-name.js';

/** The look-up of the keys of one changed row, as the table's function does it. It is only used for a plan. */
export async function lookupOfOneRow(
  database: Knex,
  { table }: CapturedTable,
  select: string,
): Promise<string> {
  const named = columnsOfChanged(select)?.map(quoted).join(', ');
  const columns = await describedSelect(
    database,
    `select ${named ?? '*'} from ${quotedTable(tableName(table))}`,
  );
  const typed = columns.map(({ name, type }) => `${quoted(name)} ${type}`);
  const row = `jsonb_to_record('{}') as changed (${typed.length === 0 ? 'nothing text' : typed.join(', ')})`;
  return `select looked_up.key from ${row} cross join lateral (\n${select}\n) as looked_up (key)`;
}
