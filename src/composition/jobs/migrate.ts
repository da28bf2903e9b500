import { captureFunctionIn } from '../../adapters/dashboard/capture-function.js';
import {
  ensureCapture,
  NotToBeCaptured,
  removeCapture,
  TableInUse,
} from '../../adapters/dashboard/change-capture.js';
import { openDashboardDatabase } from '../../adapters/postgres/dashboard-database.js';
import { type Migrations, migrateDatabase, TablesInUse } from '../../adapters/postgres/migrate-database.js';
import { CAPTURE_MIGRATIONS, DASHBOARD_MIGRATIONS, READ_MIGRATIONS } from '../project-folders.js';
import { requireDashboardTables } from './require-tables.js';

export async function migrate(
  { readDatabaseUrl, writeDatabaseUrl }: { readDatabaseUrl: string; writeDatabaseUrl: string | null },
  print: (text: string) => void,
): Promise<void> {
  await migrateAndTell('Read tables', readDatabaseUrl, READ_MIGRATIONS, print);
  if (writeDatabaseUrl === null) return;
  await withDashboard(writeDatabaseUrl, async (dashboard) => {
    await requireDashboardTables(dashboard);
    await migrateAndTell('Change capture', writeDatabaseUrl, CAPTURE_MIGRATIONS, print);
    const mended = await ensureCapture(dashboard, await captureFunctionIn(CAPTURE_MIGRATIONS.directory));
    if (mended > 0) {
      const triggers = `${mended} ${mended === 1 ? 'trigger' : 'triggers'}`;
      print(`Change capture: put ${triggers} in place; everything is read anew.`);
    }
  });
}

/** The dashboard's database as it was before: the read tables stay as they are, and are never brought up to date again. */
export async function removeChangeCapture(
  writeDatabaseUrl: string,
  print: (text: string) => void,
): Promise<void> {
  await withDashboard(writeDatabaseUrl, removeCapture);
  print('Change capture: removed.');
}

export function migrateDashboard(writeDatabaseUrl: string, print: (text: string) => void): Promise<void> {
  return migrateAndTell('Reference dashboard schema', writeDatabaseUrl, DASHBOARD_MIGRATIONS, print);
}

type Dashboard = ReturnType<typeof openDashboardDatabase>;

async function migrateAndTell(
  what: string,
  url: string,
  migrations: Migrations,
  print: (text: string) => void,
): Promise<void> {
  const taken = await migrateDatabase(url, migrations).catch((error: unknown) => {
    if (!(error instanceof TablesInUse)) throw error;
    throw new Error(
      `${what}: a table that has to be changed is in use by a transaction that goes on for long (see pg_stat_activity and ` +
        'pg_prepared_xacts). Nobody should wait behind it, so nothing was changed: run this command again when the transaction has ended.',
    );
  });
  print(taken.length === 0 ? `${what}: up to date.` : `${what}: took ${taken.join(', ')}.`);
}

async function withDashboard(url: string, work: (dashboard: Dashboard) => Promise<void>): Promise<void> {
  const database = openDashboardDatabase(url);
  try {
    await work(database);
  } catch (error) {
    if (error instanceof NotToBeCaptured) {
      throw new Error(
        `Change capture: ${error.tables.join(', ')} in the dashboard's database is a foreign table, in which changes cannot be noted: take it ` +
          'out of its parent table, or put its rows into a table of this database. All else is in place.',
      );
    }
    if (!(error instanceof TableInUse)) throw error;
    throw new Error(
      `Change capture: ${error.table} in the dashboard's database is in use by a transaction that goes on for long (see ` +
        'pg_stat_activity and pg_prepared_xacts). Its triggers have to wait for that, and the dashboard should not wait with them: ' +
        'run this command again when the transaction has ended. What is in place already stays in place.',
    );
  } finally {
    await database.destroy();
  }
}
