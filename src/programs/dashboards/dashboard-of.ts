import { fileURLToPath } from 'node:url';
import type { DashboardMapping } from '../../adapters/dashboard/mapping/dashboard-mapping.js';
import { MappingError, readMapping } from '../../adapters/dashboard/mapping/read-mapping.js';
import { MYSQL_REFERENCE_MAPPING, REFERENCE_MAPPING } from '../../composition/project-folders.js';
import { ConfigurationError } from '../../composition/read-settings.js';
import type { DashboardEngine } from './dashboard-engine.js';
import { MysqlDashboard } from './mysql-dashboard.js';
import { PostgresDashboard } from './postgres-dashboard.js';

/** The address and the mapping of a dashboard's database. */
export interface DashboardSettings {
  readonly writeDatabaseUrl: string;
  /** The file of the mapping. Default: the reference schema's. */
  readonly dashboardMapping?: string | null;
}

/** Throws a ConfigurationError if the mapping is not valid. */
export function dashboardOf({
  writeDatabaseUrl,
  dashboardMapping,
}: DashboardSettings): MysqlDashboard | PostgresDashboard {
  const onMysql = isMysql(writeDatabaseUrl);
  const reference = mappingOf(fileURLToPath(onMysql ? MYSQL_REFERENCE_MAPPING : REFERENCE_MAPPING));
  const mapping = dashboardMapping == null ? reference : mappingOf(dashboardMapping);
  return onMysql
    ? new MysqlDashboard(writeDatabaseUrl, mapping)
    : new PostgresDashboard(writeDatabaseUrl, mapping, reference);
}

/** Null: there is no address, because extensions replace the dashboard's content. */
export function dashboardFor(
  settings: Omit<DashboardSettings, 'writeDatabaseUrl'> & { readonly writeDatabaseUrl: string | null },
): DashboardEngine | null {
  const { writeDatabaseUrl } = settings;
  return writeDatabaseUrl === null ? null : dashboardOf({ ...settings, writeDatabaseUrl });
}

export function isMysql(writeDatabaseUrl: string): boolean {
  return new URL(writeDatabaseUrl).protocol === 'mysql:';
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
