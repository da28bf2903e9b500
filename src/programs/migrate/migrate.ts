import { makeSchema } from '../../adapters/dashboard/mysql/make-schema.js';
import {
  dashboardHolders,
  NOTHING_REPLACED,
  type Replacements,
  readModelHolders,
} from '../../composition/extensions/ports-of-programs.js';
import { DASHBOARD_MIGRATIONS, MYSQL_SCHEMA, READ_MIGRATIONS } from '../../composition/project-folders.js';
import type { Print } from '../dashboards/dashboard-engine.js';
import { type DashboardSettings, dashboardOf, isMysql } from '../dashboards/dashboard-of.js';
import { migrateAndReport } from '../operations/migrate-and-report.js';

export async function migrate(
  {
    readDatabaseUrl,
    writeDatabaseUrl,
    ...others
  }: { readDatabaseUrl: string | null; writeDatabaseUrl: string | null } & Omit<
    DashboardSettings,
    'writeDatabaseUrl'
  >,
  print: (text: string) => void,
  replaced: Replacements = NOTHING_REPLACED,
): Promise<void> {
  const contentHolders = dashboardHolders(replaced);
  // The mapping is read first: if it is not valid, nothing is changed.
  const dashboard =
    writeDatabaseUrl === null || contentHolders.length > 0
      ? null
      : dashboardOf({ writeDatabaseUrl, ...others });
  if (readDatabaseUrl === null) print(nothingToMigrate('Read tables', readModelHolders(replaced)));
  else {
    await migrateAndReport(
      { what: 'Read tables', variable: 'READ_DATABASE_URL', url: readDatabaseUrl },
      READ_MIGRATIONS,
      print,
    );
  }
  if (writeDatabaseUrl === null) return;
  if (dashboard === null) print(nothingToMigrate('Change capture', contentHolders));
  else await dashboard.migrate(print);
}

function nothingToMigrate(what: string, extensions: readonly string[]): string {
  return `${what}: nothing to migrate, because extension ${extensions.join(', ')} replaces it.`;
}

/** Prints what `migrate` would create in the dashboard's database. Creates nothing. */
export function explainChangeCapture(
  settings: DashboardSettings,
  print: (text: string) => void,
): Promise<void> {
  return dashboardOf(settings).explain(print);
}

/** Restores the dashboard's database to the state before `migrate`. The read tables keep their content, and are not updated any more. */
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
  const { tables, additions } = await makeSchema(url, MYSQL_SCHEMA);
  const made = [
    ...(tables > 0 ? [`created ${tables} ${tables === 1 ? 'table' : 'tables'}`] : []),
    ...(additions > 0 ? ['added columns'] : []),
  ];
  print(`Reference dashboard schema: ${made.length > 0 ? made.join(', ') : 'up to date'}.`);
}
