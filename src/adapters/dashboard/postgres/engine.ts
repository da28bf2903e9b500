import type { Knex } from 'knex';
import { connectWorker } from '../../sql/postgres/connect-worker.js';
import { faultOf, means, reasonIn } from '../../sql/postgres/fault-of.js';
import { migrateAndReport } from '../../sql/postgres/migrations/migrate-and-report.js';
import { openDashboardDatabase, sharesSessions } from '../../sql/postgres/open-database.js';
import { queryRows, run } from '../../sql/postgres/query-rows.js';
import { dashboardIdentity, postgresServer } from '../../sql/postgres/server-identity.js';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import type { Engine } from '../source/engine.js';
import { CAPTURE_MIGRATIONS, explainCapture, installCapture, removeCapture } from './capture/capture.js';
import { installedFor } from './capture/capture-facts.js';
import { captureState } from './capture/capture-state.js';
import { keysFound } from './capture/noted-look-up.js';
import { deleteChanges, newestIn, oldestIn, runBriefly } from './capture/queue.js';
import { questionsOf } from './checks/mapping-questions.js';
import { tablesOfWorker } from './checks/tables-in.js';
import { describedSelect } from './read/described-select.js';
import { MappedTables } from './read/mapped-tables.js';
import { isOutdated, renamePrepared, SESSION_OF_PREPARED } from './read/prepared.js';
import { quoted, quotedTable, shownTable, tableName } from './read/quoted.js';
import { requireSameTables, TableReplaced } from './read/same-tables.js';
import { WORDS } from './words.js';

/** While this session waits for a lock, writers wait behind it. */
const LOCK_TIMEOUT = '5s';

const MIGRATED = { what: 'Change capture', variable: 'WRITE_DATABASE_URL' };

export const POSTGRES_ENGINE: Engine = {
  client: {
    open: (url) => openDashboardDatabase(url, { lock_timeout: LOCK_TIMEOUT }),
    connect: (url, name, isForOneSession) => connectWorker(url, name, isForOneSession, SESSION_OF_PREPARED),
    query: queryRows,
    faultOf,
    means,
    reasonIn,
    server: postgresServer,
    sharesSessions,
    identity: dashboardIdentity,
  },
  words: WORDS,
  read: {
    snapshotMode: { isolationLevel: 'repeatable read', readOnly: true },
    describe: describedSelect,
    tablesOf: (mapping, columnsOf) => new MappedTables(mapping, columnsOf),
    faultOf: faultInSnapshot,
    isOutdated: isSnapshotOutdated,
    briefly,
    requireSameTables,
  },
  capture: {
    installedFor,
    state: captureState,
    install: async (database, mapping, url, print) => {
      await migrateAndReport({ ...MIGRATED, url }, CAPTURE_MIGRATIONS, print);
      return installCapture(database, mapping);
    },
    explain: explainCapture,
    grants,
    remove: removeCapture,
    oldestIn,
    newestIn,
    delete: deleteChanges,
    keysFound,
    runBriefly,
  },
  checks: { missingTables, questionsOf },
};

/** A snapshot is only read: a function that writes is no outage. */
function faultInSnapshot(error: unknown) {
  if (isOutdated(error)) return 'outage';
  return means(error, 'readOnly') ? 'row' : faultOf(error);
}

function isSnapshotOutdated(error: unknown): boolean {
  if (!isOutdated(error)) return error instanceof TableReplaced;
  renamePrepared();
  return true;
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

async function grants(database: Knex, mapping: DashboardMapping, role: string): Promise<readonly string[]> {
  const tables = await tablesOfWorker(database, mapping);
  const schemas = [...new Set([...tables.map(({ schema }) => schema), 'content_sync'])];
  return [
    `grant usage on schema ${schemas.map(quoted).join(', ')} to ${quoted(role)}`,
    `grant select on ${tables.map(quotedTable).join(', ')} to ${quoted(role)}`,
    `grant select, insert, delete on content_sync.change_queue to ${quoted(role)}`,
  ];
}

/** The time limit lasts until the end of the snapshot. */
async function briefly<Rows>(snapshot: Knex, read: () => Promise<Rows>): Promise<Rows> {
  await run(snapshot, `set local statement_timeout = '1s'`);
  return read();
}
