import { PinoLog } from '../../adapters/system/pino-log.js';
import { ProcessMetrics } from '../../adapters/system/process-metrics.js';
import type { SyncConfiguration } from '../configuration.js';
import { acceptDashboard } from '../sync/known-databases.js';
import { openSyncSession } from '../sync/sync-session.js';

/** For an operator who moved, restored or upgraded the dashboard's database. */
export async function acceptPresentDashboard(
  configuration: SyncConfiguration,
  print: (text: string) => void,
): Promise<void> {
  const log = new PinoLog(configuration.logLevel, false, process.stderr);
  const session = openSyncSession(configuration, null, new ProcessMetrics(), log);
  try {
    await session.requireTables();
    await acceptDashboard(session.dashboard.database, session.readTables.database);
    print(
      'The dashboard of WRITE_DATABASE_URL is the one to sync with: the worker reads everything anew from it.',
    );
  } finally {
    await session.close();
  }
}
