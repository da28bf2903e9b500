import type { Knex } from 'knex';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import type { DashboardSession, Engine, Print } from '../source/engine.js';
import { explainCapture, installCapture, removeCapture } from './capture/capture.js';
import { installedFor } from './capture/capture-facts.js';
import { captureState } from './capture/capture-state.js';
import { checkMapping } from './checks/check-mapping.js';
import { tablesOfWorker } from './checks/tables-in.js';
import { Dialect } from './dialect.js';
import { CREATE_MANAGED_KEYS, MANAGED_KEYS } from './key-table.js';
import { Queue } from './queue.js';
import { SESSION_OF_PREPARED } from './read/prepared.js';
import { quoted, quotedTable, shownTable, tableName } from './read/quoted.js';

/** What the adapters of PostgreSQL offer for any database. */
export interface PostgresServer extends Pick<Engine, 'isOutage' | 'server' | 'isBehindPooler' | 'identity'> {
  open(url: string, settings: Readonly<Record<string, string>>): Knex;
  connect(
    url: string,
    name: string,
    isForOneSession: boolean,
    settings: Readonly<Record<string, string>>,
  ): DashboardSession;
  migrateCapture(url: string, print: Print): Promise<unknown>;
}

/** While this session waits for a lock, writers wait behind it. */
const LOCK_TIMEOUT = '5s';

export function postgresEngine(postgres: PostgresServer): Engine {
  const { isOutage, server, isBehindPooler, identity } = postgres;
  return {
    managedKeys: MANAGED_KEYS,
    createKeys: CREATE_MANAGED_KEYS,
    open: (url) => postgres.open(url, { lock_timeout: LOCK_TIMEOUT }),
    connect: (url, name, isForOneSession) =>
      postgres.connect(url, name, isForOneSession, SESSION_OF_PREPARED),
    dialectOf: (mapping) => new Dialect(mapping),
    queueOf: (database, dialect) => new Queue(database, dialect),
    isOutage,
    server,
    isBehindPooler,
    identity,
    missingTables,
    checkMapping,
    installedFor,
    captureState,
    install: async (database, mapping, url, print) => {
      await postgres.migrateCapture(url, print);
      return installCapture(database, mapping);
    },
    explainCapture,
    grants,
    removeCapture,
  };
}

async function missingTables(database: Knex, { captures }: DashboardMapping): Promise<readonly string[]> {
  const tables = captures.map(({ table }) => tableName(table));
  const { rows }: { rows: { name: string }[] } = await database.raw(
    `select shown as name from unnest(:tables::text[], :names::text[]) as asked (name, shown)
     where to_regclass(name) is null`,
    { tables: tables.map(quotedTable), names: tables.map(shownTable) },
  );
  return rows.map(({ name }) => name);
}

async function grants(database: Knex, mapping: DashboardMapping): Promise<readonly string[]> {
  const tables = await tablesOfWorker(database, mapping);
  const schemas = [...new Set([...tables.map(({ schema }) => schema), 'content_sync'])];
  return [
    `grant usage on schema ${schemas.map(quoted).join(', ')} to sync_worker`,
    `grant select on ${tables.map(quotedTable).join(', ')} to sync_worker`,
    'grant select, insert, delete on content_sync.change_queue to sync_worker',
  ];
}
