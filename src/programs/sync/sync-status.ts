import { setTimeout as pause } from 'node:timers/promises';
import {
  adviceOnBlocking,
  type BlockingSession,
  describeBlocking,
} from '../../adapters/cli/blocking-session.js';
import { describeSync, type SyncReport } from '../../adapters/cli/sync-report.js';
import { reasonOf } from '../../adapters/postgres/connection/is-outage.js';
import type { WorkerConnection } from '../../adapters/postgres/connection/worker-connection.js';
import { blockingSessions } from '../../adapters/postgres/inspect/blocking-sessions.js';
import {
  countReadRows,
  generationsOf,
  type LastLeader,
  lastLeader,
  quarantinedRows,
  repairs,
  unfinishedJobs,
} from '../../adapters/postgres/inspect/sync-state.js';
import { type Extended, namesOfReplaced } from '../../composition/extensions/extend.js';
import type { WorkerAdditions } from '../../composition/extensions/extension.js';
import type { Token } from '../../composition/extensions/ports.js';
import { LEADER_TIMEOUT_MS } from '../../composition/leader-timeout.js';
import { WORKER_NAME } from '../../composition/modules/session-modules.js';
import { SESSION } from '../../composition/session-tokens.js';
import type { SyncConfiguration } from '../../composition/settings/configuration.js';
import type { Job } from '../../domain/model/job.js';
import type { RowKind } from '../../domain/model/read-model.js';
import { OtherDashboard, requireKnownDashboard } from './known-databases.js';
import { AWAITED } from './sync-once.js';
import { withSession } from './sync-program.js';
import type { SyncSession } from './sync-session.js';

/** A report of all of them would be unreadable. Each one can be requested by its id. */
const MAX_GENERATIONS = 1_000;

/** A blocked worker waits for a second, and pauses for one: the queries cover the pause. */
const MAX_QUERIES = 6;
const PAUSE_MS = 250;

export function syncStatus(
  configuration: SyncConfiguration,
  { json, organizationId }: { readonly json: boolean; readonly organizationId: string | null },
  print: (text: string) => void,
  extended?: Extended<WorkerAdditions>,
): Promise<void> {
  return withSession(configuration, extended, async (session) => {
    await session.requireTables();
    const replaced = extended === undefined ? {} : namesOfReplaced(extended.replaced);
    const report = await syncReport(session, replaced, organizationId);
    print(json ? JSON.stringify(report) : describeSync(report, LEADER_TIMEOUT_MS));
  });
}

/** Reports what is in use of both databases, and replaced ports. A part may fail alone. */
async function syncReport(
  session: SyncSession,
  replaced: Readonly<Record<string, string>>,
  organizationId: string | null,
): Promise<SyncReport> {
  const isStored = (token: Token) => !session.replaces(token);
  const { hasDashboard } = session;
  const stored = () => session.readTables.database;
  const parts: readonly (readonly [name: string, isPresent: boolean, read: () => Promise<SyncReport>])[] = [
    ['leader', isStored(SESSION.leadership), () => leaderReport(session)],
    ['dashboard', hasDashboard, async () => ({ dashboard: await whyNotSynced(session) })],
    ['queue', hasDashboard, async () => ({ queue: await session.dashboard.queue.lag() })],
    ['work', isStored(SESSION.jobQueue), async () => ({ work: await unfinishedJobs(stored()) })],
    [
      'work',
      !isStored(SESSION.jobQueue),
      async () => ({ work: (await session.ports.jobs.unfinished(AWAITED)).map(jobReport) }),
    ],
    ['repairs', isStored(SESSION.jobQueue), async () => ({ repairs: await repairs(stored()) })],
    [
      'quarantined',
      isStored(SESSION.readModelWriter),
      async () => ({ quarantined: await quarantinedRows(stored()) }),
    ],
    [
      'generations',
      isStored(SESSION.generationTable),
      async () => ({ generations: await generationsOf(stored(), organizationId, MAX_GENERATIONS) }),
    ],
    [
      'rows',
      hasDashboard,
      async () => ({ rows: await countedRows(session, isStored(SESSION.readModelWriter)) }),
    ],
  ];
  let report: SyncReport = Object.keys(replaced).length === 0 ? {} : { replaced };
  const errors = new Map<string, unknown>();
  const readableParts = parts.filter(([, isPresent]) => isPresent);
  for (const [name, , read] of readableParts) {
    try {
      report = { ...report, ...(await read()) };
    } catch (error) {
      errors.set(name, isStored(SESSION.leadership) ? await withBlocking(session, error) : error);
    }
  }
  const [first] = errors.values();
  if (errors.size === readableParts.length) throw first;
  if (errors.size === 0) return report;
  return {
    ...report,
    failed: Object.fromEntries([...errors].map(([name, error]) => [name, reasonOf(error)])),
  };
}

/** A session that blocks this report blocks the worker, too. */
async function withBlocking({ readTables }: SyncSession, error: unknown): Promise<unknown> {
  // After the end of the connection, nothing more is known.
  const blocking = await sessionsBlockingWorker(readTables.database).catch(() => []);
  if (blocking.length === 0) return error;
  const blockers = blocking.map((it) => `${describeBlocking(it)}: ${adviceOnBlocking(it)}`);
  return new Error(`${reasonOf(error)}. Blocked by ${blockers.join('; ')}`, { cause: error });
}

async function leaderReport({ readTables: { database } }: SyncSession) {
  const last = await lastLeader(database);
  const leader = last?.leads ? { ...last, isFrozen: last.lastBeatMs > LEADER_TIMEOUT_MS } : null;
  return { leader, lastLeader: last, blocking: await sessionsBlockingWorker(database) };
}

function whyNotSynced({ dashboard, notes }: SyncSession): Promise<string | null> {
  return requireKnownDashboard(dashboard, notes).then(() => null, whyUnknown);
}

async function countedRows(session: SyncSession, areStored: boolean) {
  const dashboardCounts = await session.dashboard.countShownRows();
  const read = areStored ? await countReadRows(session.readTables.database) : null;
  const both = (kind: RowKind) => ({
    dashboard: dashboardCounts[kind],
    ...(read === null ? {} : { readTables: read[kind] }),
  });
  return {
    apiKeys: both('apiKeys'),
    categories: both('categories'),
    tags: both('tags'),
    blogs: both('blogs'),
  };
}

function jobReport({ scope, progress, attempts }: Job) {
  return { scope: scope.of, keys: 'keys' in scope ? scope.keys.length : 0, progress, attempts };
}

function whyUnknown(error: unknown): string {
  if (error instanceof OtherDashboard) return error.message;
  throw error;
}

/** Sessions that block the worker, asked several times if its sessions may be failing. */
export async function sessionsBlockingWorker(
  database: WorkerConnection['database'],
): Promise<readonly BlockingSession[]> {
  for (let queries = 1; ; queries++) {
    const blocking = await blockingSessions(database, WORKER_NAME);
    if (blocking.length > 0 || queries === MAX_QUERIES || !mayFail(await lastLeader(database)))
      return blocking;
    await pause(PAUSE_MS);
  }
}

/** A worker whose sessions fail has always led for a short time only. */
function mayFail(leader: LastLeader | null): boolean {
  return leader !== null && leader.ledForMs < LEADER_TIMEOUT_MS;
}
