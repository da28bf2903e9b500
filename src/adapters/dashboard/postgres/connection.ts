import type { Knex } from 'knex';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import { MappedConnection } from '../source/mapped-connection.js';
import { captureState } from './capture/capture-state.js';
import type { CapturedMapping } from './capture/captured-tables.js';
import { Dialect } from './dialect.js';
import { Queue } from './queue.js';
import type { MappedTables } from './read/mapped-tables.js';
import { quotedTable, shownTable, type TableName } from './read/quoted.js';
import type { PostgresServer, PostgresSession } from './server.js';

export function connectionOf(
  session: PostgresSession,
  server: PostgresServer,
  mapping: DashboardMapping,
  captured: CapturedMapping,
): MappedConnection<MappedTables> {
  const { database } = session;
  const dialect = new Dialect(mapping);
  return new MappedConnection(session, {
    dialect,
    queue: new Queue(database),
    isOutage: (error) => server.isOutage(error),
    missingTables: () => missingTables(database, captured.tables),
    identity: () => server.identity(database),
    captureState: async () => captureState(database, captured, await dialect.refresh(database)),
    naming: (ask) => server.naming('WRITE_DATABASE_URL', ask),
  });
}

/** Captured tables that the database lacks. */
export async function missingTables(
  database: Knex,
  tables: readonly TableName[],
): Promise<readonly string[]> {
  const { rows }: { rows: { position: number }[] } = await database.raw(
    `select "position"::int from unnest(:tables::text[]) with ordinality as asked (name, "position")
     where to_regclass(name) is null order by "position"`,
    { tables: tables.map(quotedTable) },
  );
  return rows.flatMap(({ position }) => tables.slice(position - 1, position).map(shownTable));
}
