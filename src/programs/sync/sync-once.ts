import type { RebuildProgress } from '../../adapters/cli/progress-report.js';
import { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import { changedRowsOf } from '../../adapters/postgres/write/sync-state.js';
import { SCOPES_WITH_END, stageOf } from '../../application/sync/job-stages.js';
import type { Extended } from '../../composition/extensions/extend.js';
import type { WorkerAdditions } from '../../composition/extensions/extension.js';
import type { SyncConfiguration } from '../../composition/settings/configuration.js';
import { SESSION } from '../../composition/tokens.js';
import { ALL_OF, type Job } from '../../domain/model/job.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import { SyncProgram } from './sync-program.js';
import type { SyncSession } from './sync-session.js';

/** Runs until all that was committed before this call is applied, with its jobs. */
export async function catchUp(
  configuration: SyncConfiguration,
  extended?: Extended<WorkerAdditions>,
): Promise<void> {
  const areAllApplied = allAppliedCheck();
  let lastId: number | null = null;
  await runUntil(configuration, extended, async (session) => {
    if (!(await areAllApplied(session))) return false;
    const { jobQueue: jobs } = session.ports;
    lastId ??= (await jobs.unfinished(SCOPES_WITH_END)).at(-1)?.id ?? 0;
    return areFinished(jobs, lastId);
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
  await runUntil(configuration, extended, async (session) => {
    const { jobQueue: jobs } = session.ports;
    jobId ??= await jobs.requestEverything();
    const unfinished = await jobs.find(jobId);
    if (unfinished === null) {
      if (!(await areFinished(jobs, jobId))) return false;
      const readTables = session.tablesOf(SESSION.jobQueue);
      if (readTables !== null) changedRows = await changedRowsOf(readTables, jobId);
      return true;
    }
    reportProgress(unfinished, report);
    // Otherwise it can continue.
    if (unfinished.attempts > 0) await areFinished(jobs, jobId);
    return false;
  });
  return changedRows;
}

/** Throws if only jobs are left that wait for a retry, because an operator waits for the end. */
export async function areFinished(jobs: JobQueue, lastId: number): Promise<boolean> {
  // In the other order, a job that ends in between would look like one that waits for a retry.
  const next = await jobs.next(SCOPES_WITH_END);
  const requests = Object.values<string>(ALL_OF);
  // If a kind fails, a job leaves it to a newer job for all rows of the kind.
  const isMeant = ({ id, scope, attempts }: Job) =>
    id <= lastId || (requests.includes(scope.kind) && (scope.kind !== 'apiKeys' || attempts > 0));
  const unfinished = (await jobs.unfinished(SCOPES_WITH_END)).filter(isMeant);
  const isNextMeant = next !== null && isMeant(next);
  if (unfinished.length > 0 && !isNextMeant && unfinished.every(({ attempts }) => attempts > 0))
    throw new Error(
      'The remaining jobs fail, and a worker retries them: `npm run sync -- --status` lists them with the reasons',
    );
  return unfinished.length === 0;
}

async function runUntil(
  configuration: SyncConfiguration,
  extended: Extended<WorkerAdditions> | undefined,
  isDone: (session: SyncSession) => Promise<boolean>,
): Promise<void> {
  const program = new SyncProgram(configuration, new PrometheusMetrics(), process.stderr, extended);
  let isFirst = true;
  try {
    await program.runUntil(async (session) => {
      // The operator may have fixed the cause of a failure.
      if (isFirst) await session.ports.jobQueue.retryWaiting();
      isFirst = false;
      return isDone(session);
    });
  } finally {
    await program.stop();
  }
}

function reportProgress({ scope, progress }: Job, report: (progress: RebuildProgress) => void): void {
  const stage = progress === null ? null : stageOf(scope, progress.stage);
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
    const { dashboard } = session;
    if (dashboard === null || session.replaces(SESSION.changeFeed))
      return !(await session.ports.changeFeed.hasNew());
    if (last === undefined) last = await dashboard.newestChange();
    if (last === null) return true;
    const oldest = await dashboard.feed.oldest(first);
    if (oldest === null || oldest > last) return true;
    first = oldest;
    return false;
  };
}
