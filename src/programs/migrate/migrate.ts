import { makeSchema } from '../../adapters/dashboard/demo/make-schema.js';
import { isMysqlUrl } from '../../adapters/dashboard/mysql/mysql-url.js';
import { migrateAndReport } from '../../adapters/postgres/migrations/migrate-and-report.js';
import { dashboardOf } from '../../composition/dashboard-of.js';
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

/** The reference schema, for demos and tests. */
export async function migrateDashboard(
  writeDatabaseUrl: string,
  print: (text: string) => void,
): Promise<void> {
  if (isMysqlUrl(writeDatabaseUrl)) {
    await makeSchema(writeDatabaseUrl, MYSQL_SCHEMA);
    return print('Reference dashboard schema: up to date.');
  }
  return migrateAndReport(
    { what: 'Reference dashboard schema', variable: 'WRITE_DATABASE_URL', url: writeDatabaseUrl },
    DASHBOARD_MIGRATIONS,
    print,
  );
}
