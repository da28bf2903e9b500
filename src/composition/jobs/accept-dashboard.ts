import { PinoLog } from '../../adapters/system/pino-log.js';
import { ProcessMetrics } from '../../adapters/system/process-metrics.js';
import type { SyncConfiguration } from '../configuration.js';
import { dashboardOf } from '../dashboards/dashboard-of.js';
import { acceptDashboard } from '../sync/known-databases.js';
import { openSyncSession } from '../sync/sync-session.js';

/** For an operator who moved, restored or upgraded the dashboard's database. */
export async function acceptPresentDashboard(
  configuration: SyncConfiguration,
  print: (text: string) => void,
): Promise<void> {
  const log = new PinoLog(configuration.logLevel, false, process.stderr);
  const databases = {
    engine: dashboardOf(configuration),
    readDatabaseUrl: configuration.readDatabaseUrl,
  };
  const session = openSyncSession(databases, null, new ProcessMetrics(), log);
  try {
    await session.requireTables();
    await acceptDashboard(session.dashboard, session.notes);
    print(
      'The dashboard of WRITE_DATABASE_URL is the one to sync with: the worker reads everything anew from it.',
    );
  } finally {
    await session.close();
  }
}
