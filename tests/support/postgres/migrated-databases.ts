import { migrateDatabase } from '../../../src/adapters/sql/postgres/migrations/migrate-database.js';
import { dashboardOf } from '../../../src/composition/dashboard-of.js';
import { DASHBOARD_MIGRATIONS, READ_MIGRATIONS } from '../../../src/composition/project-folders.js';
import { createCopyOf } from './test-postgres.js';

/** The URL of new read tables without a fill. */
export function createReadTables(): Promise<string> {
  return createCopyOf(migrateReadTables);
}

/** The URL of a new dashboard with the reference schema, whose changes are not captured. */
export function createDashboard(): Promise<string> {
  return createCopyOf(migrateDashboard);
}

/** The URL of a new dashboard with the change capture that `npm run migrate` installs. */
export function createCapturedDashboard(): Promise<string> {
  return createCopyOf(migrateAndCapture);
}

export async function migrateReadTables(url: string): Promise<void> {
  await migrateDatabase(url, READ_MIGRATIONS);
}

async function migrateDashboard(url: string): Promise<void> {
  await migrateDatabase(url, DASHBOARD_MIGRATIONS);
}

async function migrateAndCapture(writeDatabaseUrl: string): Promise<void> {
  await migrateDashboard(writeDatabaseUrl);
  await dashboardOf({ writeDatabaseUrl }).migrate(() => {});
}
