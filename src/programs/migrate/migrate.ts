import { makeSchema } from '../../adapters/dashboard/demo/make-schema.js';
import type { Print } from '../../adapters/dashboard/source/mapped-dashboard.js';
import { migrateAndReport } from '../../adapters/postgres/migrations/migrate-and-report.js';
import { type DashboardSettings, dashboardOf, isMysql } from '../../composition/dashboard-of.js';
import { DASHBOARD_MIGRATIONS, MYSQL_SCHEMA, READ_MIGRATIONS } from '../../composition/project-folders.js';
import type { MigrateConfiguration } from '../../composition/settings/configuration.js';

/** Without an address, which only extensions make needless, a database is left alone. */
export async function migrate(
  { readDatabaseUrl, writeDatabaseUrl, dashboardMapping }: MigrateConfiguration,
  print: (text: string) => void,
): Promise<void> {
  // The mapping is read first: if it is not valid, nothing is changed.
  const dashboard = writeDatabaseUrl === null ? null : dashboardOf({ writeDatabaseUrl, dashboardMapping });
  if (readDatabaseUrl === null) print('Read tables: READ_DATABASE_URL is not set, so nothing is migrated.');
  else
    await migrateAndReport(
      { what: 'Read tables', variable: 'READ_DATABASE_URL', url: readDatabaseUrl },
      READ_MIGRATIONS,
      print,
    );
  await dashboard?.migrate(print);
}

/** Prints what `migrate` would create in the dashboard's database. Creates nothing. */
export function explainChangeCapture(
  settings: DashboardSettings,
  print: (text: string) => void,
): Promise<void> {
  return dashboardOf(settings).explain(print);
}

/** Undoes `migrate` in the dashboard's database. The read tables keep their content. */
export function removeChangeCapture(
  settings: DashboardSettings,
  print: (text: string) => void,
): Promise<void> {
  return dashboardOf(settings).removeCapture(print);
}

export function migrateDashboard(writeDatabaseUrl: string, print: (text: string) => void): Promise<void> {
  if (isMysql(writeDatabaseUrl)) return makeMysqlSchema(writeDatabaseUrl, print);
  return migrateAndReport(
    { what: 'Reference dashboard schema', variable: 'WRITE_DATABASE_URL', url: writeDatabaseUrl },
    DASHBOARD_MIGRATIONS,
    print,
  );
}

/** The reference schema, for demos and tests with dashboards in MySQL or MariaDB. */
async function makeMysqlSchema(url: string, print: Print): Promise<void> {
  await makeSchema(url, MYSQL_SCHEMA);
  print('Reference dashboard schema: up to date.');
}
