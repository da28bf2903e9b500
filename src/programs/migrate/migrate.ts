import type { Roles } from '../../adapters/cli/command-line.js';
import { makeSchema } from '../../adapters/dashboard/demo/make-schema.js';
import { isMysqlUrl } from '../../adapters/sql/mysql/mysql-url.js';
import { grantInReadTables } from '../../adapters/sql/postgres/migrations/grant-in-read-tables.js';
import { migrateAndReport } from '../../adapters/sql/postgres/migrations/migrate-and-report.js';
import { dashboardOf } from '../../composition/dashboard-of.js';
import {
  DASHBOARD_MIGRATIONS,
  MYSQL_SCHEMA,
  READ_GRANTS,
  READ_MIGRATIONS,
} from '../../composition/project-folders.js';
import type { MigrateConfiguration } from '../../composition/settings/configuration.js';

/** Without an address, which only extensions make needless, a database is left alone. */
export async function migrate(
  { readDatabaseUrl, writeDatabaseUrl, dashboardMapping }: MigrateConfiguration,
  print: (text: string) => void,
  roles: Roles | null = null,
): Promise<void> {
  // The mapping is read first: if it is not valid, nothing is changed.
  const dashboard = writeDatabaseUrl === null ? null : dashboardOf({ writeDatabaseUrl, dashboardMapping });
  if (readDatabaseUrl === null) print('Read tables: READ_DATABASE_URL is not set, so nothing is migrated.');
  else {
    const database = { what: 'Read tables', variable: 'READ_DATABASE_URL', url: readDatabaseUrl };
    if (!(await migrateAndReport(database, READ_MIGRATIONS, print))) print('Read tables: up to date.');
    if (roles !== null) await grantInReadTables(readDatabaseUrl, READ_GRANTS, roles);
  }
  await dashboard?.migrate(print, roles?.sync);
  if (roles !== null) print(`Rights: ${roles.api} and ${roles.sync} have what they need.`);
}

/** The reference schema, for demos and tests. */
export async function migrateDashboard(
  writeDatabaseUrl: string,
  print: (text: string) => void,
): Promise<void> {
  const what = 'Reference dashboard schema';
  const database = { what, variable: 'WRITE_DATABASE_URL', url: writeDatabaseUrl };
  if (isMysqlUrl(writeDatabaseUrl)) await makeSchema(writeDatabaseUrl, MYSQL_SCHEMA);
  else if (await migrateAndReport(database, DASHBOARD_MIGRATIONS, print)) return;
  print(`${what}: up to date.`);
}
