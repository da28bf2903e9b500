import { type DashboardSettings, dashboardOf, isMysql } from '../dashboards/dashboard-of.js';
import { makeMysqlSchema } from '../dashboards/mysql-schema.js';
import { DASHBOARD_MIGRATIONS, READ_MIGRATIONS } from '../project-folders.js';
import { migrateAndTell } from './migrate-and-tell.js';

export async function migrate(
  {
    readDatabaseUrl,
    writeDatabaseUrl,
    ...others
  }: { readDatabaseUrl: string; writeDatabaseUrl: string | null } & Omit<
    DashboardSettings,
    'writeDatabaseUrl'
  >,
  print: (text: string) => void,
): Promise<void> {
  await migrateAndTell('Read tables', readDatabaseUrl, READ_MIGRATIONS, print);
  if (writeDatabaseUrl !== null) await dashboardOf({ writeDatabaseUrl, ...others }).migrate(print);
}

/** What `migrate` would create in the dashboard's database; nothing is created. */
export function explainChangeCapture(
  settings: DashboardSettings,
  print: (text: string) => void,
): Promise<void> {
  return dashboardOf(settings).explain(print);
}

/** The dashboard's database as it was before: the read tables stay as they are, and are never brought up to date again. */
export function removeChangeCapture(
  settings: DashboardSettings,
  print: (text: string) => void,
): Promise<void> {
  return dashboardOf(settings).removeCapture(print);
}

export function migrateDashboard(writeDatabaseUrl: string, print: (text: string) => void): Promise<void> {
  if (isMysql(writeDatabaseUrl)) return makeMysqlSchema(writeDatabaseUrl, print);
  return migrateAndTell('Reference dashboard schema', writeDatabaseUrl, DASHBOARD_MIGRATIONS, print);
}
