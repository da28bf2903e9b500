import type { Knex } from 'knex';
import { isCaptureInstalled } from './capture/change-queue.js';
import type { PostgresServer } from './postgres-server.js';
import { quotedTable, shownTable, type TableName } from './read/table-name.js';

/** Tables of the dashboard that the database lacks. */
export async function missingTables(
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

type Naming = Pick<PostgresServer, 'naming'>;

/** The error says which of the two databases it concerns and what to do. */
export async function requireTables(
  database: Knex,
  tables: readonly TableName[],
  { naming }: Naming,
): Promise<void> {
  const missing = await naming('WRITE_DATABASE_URL', () => missingTables(database, tables));
  if (missing.length === 0) return;
  const where = missing.every(({ schema }) => schema === 'public') ? ' in its schema public' : '';
  throw new Error(
    `The dashboard's database (WRITE_DATABASE_URL) has no table ${missing.map(shownTable).join(', ')}${where}. ` +
      'Is it the right database? For other tables set DASHBOARD_MAPPING; for a demo, `npm run dashboard:migrate` creates them.',
  );
}

export async function requireCapture(database: Knex, { naming }: Naming): Promise<void> {
  if (await naming('WRITE_DATABASE_URL', () => isCaptureInstalled(database))) return;
  throw new Error(
    "The dashboard's database (WRITE_DATABASE_URL) has no change capture: run `npm run migrate` with both databases first.",
  );
}
