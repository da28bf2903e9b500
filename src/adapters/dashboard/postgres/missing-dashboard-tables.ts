import type { Knex } from 'knex';
import { quotedTable, type TableName } from './table-name.js';

/** Tables of the dashboard that the database lacks. */
export async function missingDashboardTables(
  database: Knex,
  tables: readonly TableName[],
): Promise<readonly TableName[]> {
  const { rows }: { rows: { place: number }[] } = await database.raw(
    `select place::int from unnest(:tables::text[]) with ordinality as asked (name, place)
     where to_regclass(name) is null order by place`,
    { tables: tables.map(quotedTable) },
  );
  return rows.flatMap(({ place }) => tables[place - 1] ?? []);
}
