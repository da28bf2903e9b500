import { describeSync, type SyncReport } from '../../adapters/cli/sync-report.js';
import {
  countReadRows,
  jobsState,
  lastLeader,
  unfinishedJobs,
  unshownRows,
} from '../../adapters/postgres/write/sync-state.js';
import { failingEndpoints } from '../../adapters/postgres/write/webhook-state.js';
import { KINDS } from '../../application/sync/job-stages.js';
import { syncLagMs } from '../../application/sync/sync-lag.js';
import { type Extended, namesOfReplaced } from '../../composition/extensions/extend.js';
import type { WorkerAdditions } from '../../composition/extensions/extension.js';
import type { SyncConfiguration } from '../../composition/settings/configuration.js';
import { SESSION, type Token } from '../../composition/tokens.js';
import { LEADER_TIMEOUT_MS } from '../../composition/worker-parts.js';
import type { RowKind } from '../../domain/model/read-model.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
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
  const isStored = (token: Token) => !session.replaces(token);
  const stored = () => session.readTables.database;
  const parts: Readonly<Record<string, () => Promise<SyncReport>>> = {
    tables: async () => {
      await session.requireTables();
      return {};
    },
    ...(isStored(SESSION.leadership) && { leader: () => leaderReport(stored()) }),
    ...(session.hasDashboard && {
      dashboard: async () => ({ dashboard: await dashboardState(session) }),
      queue: async () => ({ queue: await session.dashboard.lag() }),
      lag: async () => {
        const jobs = isStored(SESSION.jobQueue) ? await jobsState(stored()) : null;
        return { lagMs: syncLagMs(await session.dashboard.lag(), jobs) };
      },
    }),
    ...(isStored(SESSION.jobQueue) && {
      jobs: async () => ({ jobs: await unfinishedJobs(stored()) }),
    }),
    ...(isStored(SESSION.readModelWriter) && {
      unshown: async () => ({ unshown: await unshownRows(stored()) }),
    }),
    ...(webhooks.length > 0 && {
      webhooks: async () => {
        const failingWebhooks = await failingEndpoints(stored(), webhooks);
        return failingWebhooks.length === 0 ? {} : { failingWebhooks };
      },
    }),
    ...(session.hasDashboard && {
      rows: async () => ({ rows: await countedRows(session, isStored(SESSION.readModelWriter)) }),
    }),
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

async function leaderReport(database: SyncSession['readTables']['database']): Promise<SyncReport> {
  const last = await lastLeader(database, LEADER_TIMEOUT_MS);
  const leader = last?.leads ? { ...last, isFrozen: last.lastBeatMs > LEADER_TIMEOUT_MS } : null;
  return { leader, lastLeader: last };
}

/** `ok`, or why the worker does not sync from this dashboard. */
async function dashboardState({ dashboard, notes }: SyncSession): Promise<string> {
  try {
    await dashboard.requireTables();
    await requireKnownDashboard(dashboard, notes);
    return 'ok';
  } catch (error) {
    if (error instanceof OtherDashboard) return error.message;
    throw error;
  }
}

async function countedRows(session: SyncSession, areStored: boolean) {
  const dashboardCounts = await session.dashboard.source.countShownRows();
  const read = areStored ? await countReadRows(session.readTables.database) : null;
  const both = (kind: RowKind) => ({
    dashboard: dashboardCounts[kind],
    ...(read === null ? {} : { readTables: read[kind] }),
  });
  return Object.fromEntries(KINDS.map((kind) => [kind, both(kind)]));
}
