import type { Knex } from 'knex';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import { FINDINGS } from '../mapping/mapping-findings.js';
import { MappedConnection } from '../source/mapped-connection.js';
import { captureState } from './capture/capture-state.js';
import { capturesOf } from './capture/captured-tables.js';
import { Dialect } from './dialect.js';
import { Queue } from './queue.js';
import { type MappedTables, readableTables } from './read/mapped-tables.js';
import { isMysqlOutage, queryRows } from './read/query-rows.js';
import { text } from './read/quoted.js';
import { type MysqlWorkerConnection, mysqlIdentity } from './server.js';

export function connectionOf(
  session: MysqlWorkerConnection,
  mapping: DashboardMapping,
): MappedConnection<MappedTables> {
  const { database } = session;
  return new MappedConnection(session, {
    dialect: new Dialect(mapping),
    queue: new Queue(database, capturesOf(mapping)),
    isOutage: isMysqlOutage,
    missingTables: () => missingTables(database, mapping),
    identity: () => mysqlIdentity(database),
    captureState: async () => {
      const look = await captureState(database, mapping);
      const { refusals } = await readableTables(database, mapping);
      const failing = [...refusals].map(([source, reason]) => FINDINGS.selectFails(source, reason));
      return { ...look, broken: [...look.broken, ...failing] };
    },
    naming: (ask) => ask(),
  });
}

async function missingTables(database: Knex, { captures }: DashboardMapping): Promise<readonly string[]> {
  const tables = captures.map(({ table }) => table);
  const rows = await queryRows<{ name: string }>(
    database,
    `select table_name as name from information_schema.tables where table_schema = database() and table_name in (${tables.map(text).join(', ')})`,
  );
  const names = new Set(rows.map(({ name }) => name));
  return tables.filter((table) => !names.has(table));
}
