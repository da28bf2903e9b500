import { makeSchema } from '../../adapters/dashboard/demo/make-schema.js';
import type { Print } from '../../adapters/dashboard/source/mapped-dashboard.js';
import { migrateAndReport } from '../../adapters/postgres/migrations/migrate-and-report.js';
import { type DashboardSettings, dashboardOf, isMysql } from '../../composition/dashboard-of.js';
import { missingVariable, namesOfDefaults, type Replaced } from '../../composition/extensions/extend.js';
import { DASHBOARD_PORTS, STORED_PORTS, type Token } from '../../composition/extensions/ports.js';
import { DASHBOARD_MIGRATIONS, MYSQL_SCHEMA, READ_MIGRATIONS } from '../../composition/project-folders.js';
import { ConfigurationError } from '../../composition/settings/read-settings.js';

export async function migrate(
  {
    readDatabaseUrl,
    writeDatabaseUrl,
    ...dashboardSettings
  }: { readDatabaseUrl: string | null; writeDatabaseUrl: string | null } & Omit<
    DashboardSettings,
    'writeDatabaseUrl'
  >,
  print: (text: string) => void,
  replaced: Replaced = new Map(),
): Promise<void> {
  const usersOfReadTables = namesOfDefaults(STORED_PORTS, replaced);
  // The mapping is read first: if it is not valid, nothing is changed.
  const dashboard =
    writeDatabaseUrl === null || namesOfDefaults(DASHBOARD_PORTS, replaced).length === 0
      ? null
      : dashboardOf({ writeDatabaseUrl, ...dashboardSettings });
  if (usersOfReadTables.length === 0) print(nothingToMigrate('Read tables', STORED_PORTS, replaced));
  else {
    if (readDatabaseUrl === null)
      throw new ConfigurationError([missingVariable('READ_DATABASE_URL', usersOfReadTables)]);
    await migrateAndReport(
      { what: 'Read tables', variable: 'READ_DATABASE_URL', url: readDatabaseUrl },
      READ_MIGRATIONS,
      print,
    );
  }
  if (writeDatabaseUrl === null) return;
  if (dashboard === null) print(nothingToMigrate('Change capture', DASHBOARD_PORTS, replaced));
  else await dashboard.migrate(print);
}

function nothingToMigrate(what: string, ports: Readonly<Record<string, Token>>, replaced: Replaced): string {
  const extensions = new Set(Object.values(ports).map((token) => replaced.get(token)));
  return `${what}: nothing to migrate, because extension ${[...extensions].join(', ')} replaces it.`;
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
