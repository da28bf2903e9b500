import { fileURLToPath } from 'node:url';
import type { DashboardMapping } from '../adapters/dashboard/mapping/dashboard-mapping.js';
import { MappingError, readMapping } from '../adapters/dashboard/mapping/read-mapping.js';
import { MYSQL_ENGINE } from '../adapters/dashboard/mysql/engine.js';
import { POSTGRES_ENGINE } from '../adapters/dashboard/postgres/engine.js';
import { MappedDashboard } from '../adapters/dashboard/source/mapped-dashboard.js';
import { isMysqlUrl } from '../adapters/sql/mysql/mysql-url.js';
import { Sha256KeyHasher } from '../adapters/system/sha256-key-hasher.js';
import { MYSQL_REFERENCE_MAPPING, REFERENCE_MAPPING } from './project-folders.js';
import { ConfigurationError } from './settings/read-settings.js';

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
  const engine = onMysql ? MYSQL_ENGINE : POSTGRES_ENGINE;
  return new MappedDashboard(writeDatabaseUrl, mapping, reference, new Sha256KeyHasher(), engine);
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
