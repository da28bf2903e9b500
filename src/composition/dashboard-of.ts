import { fileURLToPath } from 'node:url';
import type { DashboardMapping } from '../adapters/dashboard/mapping/dashboard-mapping.js';
import { MappingError, readMapping } from '../adapters/dashboard/mapping/read-mapping.js';
import { MysqlDashboard } from '../adapters/dashboard/mysql/dashboard.js';
import { isMysqlUrl } from '../adapters/dashboard/mysql/mysql-url.js';
import { PostgresDashboard, type PostgresServer } from '../adapters/dashboard/postgres/dashboard.js';
import { isOutage, naming } from '../adapters/postgres/connection/is-outage.js';
import { isBehindPooler, openDashboardDatabase } from '../adapters/postgres/connection/open-database.js';
import { WorkerConnection } from '../adapters/postgres/connection/worker-connection.js';
import { dashboardIdentity, serverVersion } from '../adapters/postgres/inspect/server-identity.js';
import { migrateAndReport } from '../adapters/postgres/migrations/migrate-and-report.js';
import { Sha256KeyHasher } from '../adapters/system/sha256-key-hasher.js';
import { CAPTURE_MIGRATIONS, MYSQL_REFERENCE_MAPPING, REFERENCE_MAPPING } from './project-folders.js';
import { ConfigurationError } from './settings/read-settings.js';

export const POSTGRES_SERVER: PostgresServer = {
  open: openDashboardDatabase,
  connect: (url, name, isForOneSession, settings) =>
    new WorkerConnection(url, name, isForOneSession, settings),
  isOutage,
  version: serverVersion,
  isBehindPooler,
  identity: dashboardIdentity,
  migrateCapture: (url, print) =>
    migrateAndReport(
      { what: 'Change capture', variable: 'WRITE_DATABASE_URL', url },
      CAPTURE_MIGRATIONS,
      print,
    ),
  naming,
};

/** The address and the mapping of a dashboard's database. */
export interface DashboardSettings {
  readonly writeDatabaseUrl: string;
  readonly dashboardMapping?: string | null | undefined;
}

/** Throws a ConfigurationError if the mapping is not valid. */
export function dashboardOf({ writeDatabaseUrl, dashboardMapping }: DashboardSettings) {
  const onMysql = isMysqlUrl(writeDatabaseUrl);
  const reference = readMapping(fileURLToPath(onMysql ? MYSQL_REFERENCE_MAPPING : REFERENCE_MAPPING));
  const mapping = dashboardMapping == null ? reference : mappingOf(dashboardMapping);
  return onMysql
    ? new MysqlDashboard(writeDatabaseUrl, mapping, reference, new Sha256KeyHasher())
    : new PostgresDashboard(writeDatabaseUrl, mapping, reference, new Sha256KeyHasher(), POSTGRES_SERVER);
}

function mappingOf(file: string): DashboardMapping {
  try {
    return readMapping(file);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    throw new ConfigurationError(
      error.problems.map((problem) => `DASHBOARD_MAPPING ${error.file}: ${problem}`),
    );
  }
}
