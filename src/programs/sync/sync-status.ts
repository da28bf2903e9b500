import { describeSync, type SyncReport } from '../../adapters/cli/sync-report.js';
import type { MappedConnection } from '../../adapters/dashboard/source/mapped-dashboard.js';
import type { ReadDatabase } from '../../adapters/postgres/read/read-database.js';
import {
  countReadRows,
  failingEndpoints,
  jobsState,
  lastLeader,
  unfinishedJobs,
  unshownRows,
} from '../../adapters/postgres/write/sync-state.js';
import { KINDS } from '../../application/sync/job-stages.js';
import { syncLagMs } from '../../application/sync/sync-lag.js';
import { type Extended, namesOfReplaced } from '../../composition/extensions/extend.js';
import type { WorkerAdditions } from '../../composition/extensions/extension.js';
import type { SyncConfiguration } from '../../composition/settings/configuration.js';
import { SESSION } from '../../composition/tokens.js';
import { LEADER_TIMEOUT_MS } from '../../composition/worker-parts.js';
import type { RowKind } from '../../domain/model/read-model.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
import type { SyncNotes } from '../../domain/ports/sync/sync-notes.js';
import { OtherDashboard, requireKnownDashboard } from './known-databases.js';
import { withSession } from './sync-program.js';
import type { SyncSession } from './sync-session.js';

export function syncStatus(
  configuration: SyncConfiguration,
  { json }: { readonly json: boolean },
  print: (text: string) => void,
  extended?: Extended<WorkerAdditions>,
): Promise<void> {
  return withSession(configuration, extended, async (session) => {
    const replaced = extended === undefined ? {} : namesOfReplaced(extended.replaced);
    const report = await syncReport(session, configuration.webhooks, replaced);
    print(json ? JSON.stringify(report) : describeSync(report));
  });
}

/** Reports what is in use of both databases, and replaced ports. A part may fail alone. */
async function syncReport(
  session: SyncSession,
  webhooks: readonly WebhookEndpoint[],
  replaced: Readonly<Record<string, string>>,
): Promise<SyncReport> {
  const { dashboard } = session;
  const leadership = session.tablesOf(SESSION.leadership);
  const jobs = session.tablesOf(SESSION.jobQueue);
  const rows = session.tablesOf(SESSION.readModelWriter);
  const parts: Readonly<Record<string, () => Promise<SyncReport>>> = {
    tables: () => session.requireTables().then(() => ({})),
    ...(leadership && { leader: () => leaderReport(leadership) }),
    ...(dashboard && {
      dashboard: async () => ({ dashboard: await dashboardState(dashboard, session.ports.syncNotes) }),
      queue: async () => ({ queue: await dashboard.lag() }),
      lag: async () => ({ lagMs: syncLagMs(await dashboard.lag(), jobs && (await jobsState(jobs))) }),
    }),
    ...(jobs && { jobs: async () => ({ jobs: await unfinishedJobs(jobs) }) }),
    ...(rows && { unshown: async () => ({ unshown: await unshownRows(rows) }) }),
    ...(rows &&
      webhooks.length > 0 && {
        webhooks: async () => {
          const failingWebhooks = await failingEndpoints(rows, webhooks);
          return failingWebhooks.length === 0 ? {} : { failingWebhooks };
        },
      }),
    ...(dashboard && { rows: async () => ({ rows: await countedRows(dashboard, rows) }) }),
  };
  let report: SyncReport = Object.keys(replaced).length === 0 ? {} : { replaced };
  const errors: [part: string, error: unknown][] = [];
  for (const [part, read] of Object.entries(parts)) {
    try {
      report = { ...report, ...(await read()) };
    } catch (error) {
      errors.push([part, error]);
    }
  }
  if (errors.length === Object.keys(parts).length) throw errors[0]?.[1];
  if (errors.length === 0) return report;
  return { ...report, failed: Object.fromEntries(errors.map(([part, error]) => [part, reasonOf(error)])) };
}

async function leaderReport(database: ReadDatabase): Promise<SyncReport> {
  const last = await lastLeader(database, LEADER_TIMEOUT_MS);
  const leader = last?.leads ? { ...last, isFrozen: last.lastBeatMs > LEADER_TIMEOUT_MS } : null;
  return { leader, lastLeader: last };
}

/** `ok`, or why the worker does not sync from this dashboard. */
async function dashboardState(dashboard: MappedConnection, notes: SyncNotes): Promise<string> {
  try {
    await dashboard.requireTables();
    await requireKnownDashboard(dashboard, notes);
    return 'ok';
  } catch (error) {
    if (error instanceof OtherDashboard) return error.message;
    throw error;
  }
}

async function countedRows(dashboard: MappedConnection, readTables: ReadDatabase | null) {
  const dashboardCounts = await dashboard.source.countShownRows();
  const read = readTables && (await countReadRows(readTables));
  const both = (kind: RowKind) => ({
    dashboard: dashboardCounts[kind],
    ...(read && { readTables: read[kind] }),
  });
  return Object.fromEntries(KINDS.map((kind) => [kind, both(kind)]));
}
