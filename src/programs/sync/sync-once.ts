import type { RebuildProgress } from '../../adapters/cli/progress-report.js';
import { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import {
  changedRowsOf,
  newestJob,
  oldestJob,
  retryWaitingJobs,
  waitReason,
} from '../../adapters/postgres/inspect/sync-state.js';
import type { Extended } from '../../composition/extensions/extend.js';
import type { WorkerAdditions } from '../../composition/extensions/extension.js';
import { SESSION } from '../../composition/session-tokens.js';
import type { SyncConfiguration } from '../../composition/settings/configuration.js';
import type { Job, Scope } from '../../domain/model/job.js';
import type { JobQueue } from '../../domain/ports/job-queue.js';
import { stageOf } from '../../domain/sync/job-stages.js';
import { SyncProgram } from './sync-program.js';
import type { SyncSession } from './sync-session.js';

/** The job queue for callers that wait until it is done. A check never ends and is not awaited. */
interface WaitingJobs {
  /** The highest id of the unfinished jobs, or more. */
  newest(): Promise<number>;
  /** The lowest id of the unfinished jobs. Null: there is none. */
  oldest(): Promise<number | null>;
  /** Why no job up to `id` makes progress. Null: one does, or none is left. */
  waitReason(id: number): Promise<string | null>;
  /** Retries failed jobs now: the caller may have fixed the cause. */
  retry(): Promise<void>;
  /** How many rows a job has changed. Null: its store does not report it. */
  changedRows(id: number): Promise<number | null>;
}

export const AWAITED: readonly Scope['of'][] = [
  'apiKeys',
  'everything',
  'categories',
  'tags',
  'websites',
  'rows',
];

/** Runs until all that was committed before this call is applied, with its jobs. */
export async function catchUp(
  configuration: SyncConfiguration,
  extended?: Extended<WorkerAdditions>,
): Promise<void> {
  const areAllApplied = allAppliedCheck();
  let lastWork: number | null = null;
  await runUntil(configuration, extended, async (session, work) => {
    if (!(await areAllApplied(session))) return false;
    lastWork ??= await work.newest();
    await requireProgress(work, lastWork);
    const oldest = await work.oldest();
    return oldest === null || oldest > lastWork;
  });
}

/** Returns how many rows of the read tables differed. Null if their store does not report it. */
export async function rebuild(
  configuration: SyncConfiguration,
  report: (progress: RebuildProgress) => void,
  extended?: Extended<WorkerAdditions>,
): Promise<number | null> {
  let jobId: number | null = null;
  let changedRows: number | null = null;
  await runUntil(configuration, extended, async ({ ports: { jobs } }, work) => {
    jobId ??= await jobs.requestEverything();
    const unfinished = await jobs.find(jobId);
    if (unfinished === null) changedRows = await work.changedRows(jobId);
    else reportProgress(unfinished, report);
    if (unfinished !== null) await requireProgress(work, jobId);
    return unfinished === null;
  });
  return changedRows;
}

/** The operator waits for the end, so this fails once no job makes progress. */
async function requireProgress(work: WaitingJobs, upTo: number): Promise<void> {
  const reason = await work.waitReason(upTo);
  if (reason === null) return;
  throw new Error(
    `The remaining jobs fail: ${reason}. A worker retries them; \`npm run sync -- --status\` lists them`,
  );
}

async function runUntil(
  configuration: SyncConfiguration,
  extended: Extended<WorkerAdditions> | undefined,
  isDone: (session: SyncSession, work: WaitingJobs) => Promise<boolean>,
): Promise<void> {
  const program = new SyncProgram(configuration, new PrometheusMetrics(), process.stderr, extended);
  let isFirst = true;
  try {
    await program.runUntil(async (session) => {
      const work = waitingJobs(session);
      if (isFirst) await work.retry();
      isFirst = false;
      return isDone(session, work);
    });
  } finally {
    await program.stop();
  }
}

function reportProgress({ scope, progress }: Job, report: (progress: RebuildProgress) => void): void {
  const stage = progress === null || scope.of === 'rows' ? null : stageOf(scope, progress.stage);
  if (stage === null || progress === null || progress.total === null) return;
  const { done, total } = progress;
  report({ kind: stage.kind, done, total: Math.max(done, total) });
}

/** Tells whether all changes have been applied that were queued at the first call. */
function allAppliedCheck(): (session: SyncSession) => Promise<boolean> {
  let first = 0n;
  let last: bigint | null | undefined;
  return async (session) => {
    // If changes have no comparable ids: until the queue is empty.
    if (session.replaces(SESSION.changeFeed)) return !(await session.ports.feed.hasNew());
    const { dashboard } = session;
    if (last === undefined) last = await dashboard.newestChange();
    if (last === null) return true;
    const oldest = await dashboard.queue.oldest(first);
    if (oldest === null || oldest > last) return true;
    first = oldest;
    return false;
  };
}

function waitingJobs(session: SyncSession): WaitingJobs {
  const { jobs } = session.ports;
  return session.replaces(SESSION.jobQueue) ? jobsInQueue(jobs) : inReadTables(session.readTables.database);
}

function inReadTables(database: SyncSession['readTables']['database']): WaitingJobs {
  return {
    newest: () => newestJob(database),
    oldest: () => oldestJob(database),
    waitReason: (id) => waitReason(database, id),
    retry: () => retryWaitingJobs(database),
    changedRows: (id) => changedRowsOf(database, id),
  };
}

/** For any store. */
export function jobsInQueue(list: JobQueue): WaitingJobs {
  const unfinished = async () => (await list.unfinished(AWAITED)).map(({ id }) => id);
  return {
    newest: async () => Math.max(0, ...(await unfinished())),
    oldest: async () => {
      const ids = await unfinished();
      return ids.length === 0 ? null : Math.min(...ids);
    },
    waitReason: async (id) => {
      const before = (await unfinished()).filter((jobId) => jobId <= id);
      if (before.length === 0) return null;
      const next = await list.next(AWAITED);
      if (next !== null && next.id <= id) return null;
      // Another worker may have finished it between the queries.
      const after = new Set(await unfinished());
      return before.some((jobId) => after.has(jobId)) ? 'each job waits for its next retry' : null;
    },
    retry: async () => {},
    changedRows: async () => null,
  };
}
