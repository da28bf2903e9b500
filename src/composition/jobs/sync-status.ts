import { describeSync, type SyncReport } from '../../adapters/cli/sync-report.js';
import {
  countReadRows,
  leader,
  repairs,
  rowsSetAside,
  unfinishedWork,
} from '../../adapters/postgres/sync-state.js';
import type { SyncConfiguration } from '../configuration.js';
import type { ExtendedWorker } from '../extensions/extend.js';
import { OtherDashboard, requireKnownDashboard } from '../sync/known-databases.js';
import type { SyncSession } from '../sync/sync-session.js';
import { withSession } from './with-session.js';

export function syncStatus(
  configuration: SyncConfiguration,
  asJson: boolean,
  print: (text: string) => void,
  extended?: ExtendedWorker,
): Promise<void> {
  return withSession(configuration, extended, async (session) => {
    await session.requireTables();
    const report = await syncReport(session);
    print(asJson ? JSON.stringify(report) : describeSync(report));
  });
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
