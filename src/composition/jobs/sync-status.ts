import { describeSync, type SyncReport } from '../../adapters/cli/sync-report.js';
import {
  countReadRows,
  leader,
  repairs,
  rowsSetAside,
  unfinishedWork,
} from '../../adapters/postgres/sync-state.js';
import { PinoLog } from '../../adapters/system/pino-log.js';
import { ProcessMetrics } from '../../adapters/system/process-metrics.js';
import type { SyncConfiguration } from '../configuration.js';
import { dashboardOf } from '../dashboards/dashboard-of.js';
import { OtherDashboard, requireKnownDashboard } from '../sync/known-databases.js';
import { openSyncSession, type SyncSession } from '../sync/sync-session.js';

export async function syncStatus(
  configuration: SyncConfiguration,
  asJson: boolean,
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
    const report = await syncReport(session);
    print(asJson ? JSON.stringify(report) : describeSync(report));
  } finally {
    await session.close();
  }
}

async function syncReport({ dashboard, readTables, notes }: SyncSession): Promise<SyncReport> {
  const shown = await dashboard.countShownRows();
  const read = await countReadRows(readTables.database);
  const both = (kind: keyof typeof shown) => ({ dashboard: shown[kind], readTables: read[kind] });
  return {
    leader: await leader(readTables.database),
    dashboard: await requireKnownDashboard(dashboard, notes).then(() => null, reasonOf),
    queue: await dashboard.queue(),
    work: await unfinishedWork(readTables.database),
    setAside: await rowsSetAside(readTables.database),
    repairs: await repairs(readTables.database),
    rows: {
      apiKeys: both('apiKeys'),
      categories: both('categories'),
      tags: both('tags'),
      blogs: both('blogs'),
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof OtherDashboard) return error.message;
  throw error;
}
