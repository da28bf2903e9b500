import { describeSync, type SyncReport } from '../../adapters/cli/sync-report.js';
import {
  countReadRows,
  generationsOf,
  leader,
  quarantinedRows,
  repairs,
  unfinishedJobs,
} from '../../adapters/postgres/sync-state.js';
import type { SyncConfiguration } from '../../composition/configuration.js';
import type { ExtendedWorker } from '../../composition/extensions/extend.js';
import { namesOfReplaced } from '../../composition/extensions/ports-of-programs.js';
import type { Job } from '../../domain/model/job.js';
import type { RowKind } from '../../domain/model/read-model.js';
import { OtherDashboard, requireKnownDashboard } from './known-databases.js';
import type { SyncSession } from './sync-session.js';
import { AWAITED } from './waiting-jobs.js';
import { withSession } from './with-session.js';

/** A report of all of them would be unreadable. Each one can be requested by its id. */
const MAX_GENERATIONS = 1_000;

export function syncStatus(
  configuration: SyncConfiguration,
  { json, organizationId }: { readonly json: boolean; readonly organizationId: string | null },
  print: (text: string) => void,
  extended?: ExtendedWorker,
): Promise<void> {
  return withSession(configuration, extended, async (session) => {
    await session.requireTables();
    const report = await syncReport(
      session,
      namesOfReplaced(extended === undefined ? [] : [extended.replaced]),
      organizationId,
    );
    // `setAside` is the name in 1.0.0. External programs may read it until the next major version.
    print(json ? JSON.stringify({ ...report, setAside: report.quarantined }) : describeSync(report));
  });
}

/** Reports the dashboard's database and the read tables as far as they are in use, and the ports that extensions replace. */
async function syncReport(
  session: SyncSession,
  replaced: Readonly<Record<string, string>>,
  organizationId: string | null,
): Promise<SyncReport> {
  const isStored = (port: string) => session.needs.readDatabase.includes(port);
  const hasDashboard = session.needs.dashboard.length > 0;
  return {
    ...(Object.keys(replaced).length === 0 ? {} : { replaced }),
    ...(isStored('Leadership') ? { leader: await leader(session.readTables.database) } : {}),
    ...(hasDashboard ? await dashboardReport(session) : {}),
    work: isStored('JobQueue')
      ? await unfinishedJobs(session.readTables.database)
      : (await session.ports.jobs.unfinished(AWAITED)).map(jobsOf),
    ...(isStored('JobQueue') ? { repairs: await repairs(session.readTables.database) } : {}),
    ...(isStored('ReadModelWriter')
      ? { quarantined: await quarantinedRows(session.readTables.database) }
      : {}),
    ...(isStored('GenerationTable')
      ? { generations: await generationsOf(session.readTables.database, organizationId, MAX_GENERATIONS) }
      : {}),
    ...(hasDashboard ? { rows: await countedRows(session, isStored('ReadModelWriter')) } : {}),
  };
}

async function dashboardReport({ dashboard, notes }: SyncSession) {
  return {
    dashboard: await requireKnownDashboard(dashboard, notes).then(() => null, reasonOf),
    queue: await dashboard.queue(),
  };
}

async function countedRows(session: SyncSession, areStored: boolean) {
  const shown = await session.dashboard.countShownRows();
  const read = areStored ? await countReadRows(session.readTables.database) : null;
  const both = (kind: RowKind) => ({
    dashboard: shown[kind],
    ...(read === null ? {} : { readTables: read[kind] }),
  });
  return {
    apiKeys: both('apiKeys'),
    categories: both('categories'),
    tags: both('tags'),
    blogs: both('blogs'),
  };
}

function jobsOf({ scope, progress, attempts }: Job): SyncReport['work'][number] {
  return { scope: scope.of, keys: 'keys' in scope ? scope.keys.length : 0, progress, attempts };
}

function reasonOf(error: unknown): string {
  if (error instanceof OtherDashboard) return error.message;
  throw error;
}
