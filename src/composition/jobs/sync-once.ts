import type { RebuildProgress } from '../../adapters/cli/progress-report.js';
import { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import {
  changedRowsOf,
  newestWork,
  oldestWork,
  retryWaitingWork,
  whyWorkWaits,
} from '../../adapters/postgres/sync-state.js';
import type { WorkItem } from '../../domain/model/sync-work.js';
import { stageOf } from '../../domain/sync/work-stages.js';
import type { SyncConfiguration } from '../configuration.js';
import { SyncProgram } from '../sync/sync-program.js';
import type { SyncSession } from '../sync/sync-session.js';

/** Until all is applied that was committed when this began, and what it meant for other rows. */
export async function catchUp(configuration: SyncConfiguration): Promise<void> {
  let firstChange = 0n;
  let lastChange: bigint | null = null;
  let lastWork: number | null = null;
  await runUntil(configuration, async ({ dashboard, readTables }, isFirst) => {
    if (isFirst) lastChange = await dashboard.newestChange();
    if (lastChange !== null) {
      const oldest = await dashboard.oldestChange(firstChange);
      if (oldest !== null && oldest <= lastChange) {
        firstChange = oldest;
        return false;
      }
    }
    lastWork ??= await newestWork(readTables.database);
    await requireProgress(readTables.database, lastWork);
    const oldest = await oldestWork(readTables.database);
    return oldest === null || oldest > lastWork;
  });
}

/** Answers how many rows of the read tables differed. */
export async function rebuild(
  configuration: SyncConfiguration,
  report: (progress: RebuildProgress) => void,
): Promise<number> {
  let item: number | null = null;
  let changedRows = 0;
  await runUntil(configuration, async ({ ports, readTables }) => {
    item ??= await ports.list.requestEverything();
    const unfinished = await ports.list.find(item);
    if (unfinished === null) changedRows = await changedRowsOf(readTables.database, item);
    else reportProgress(unfinished, report);
    if (unfinished !== null) await requireProgress(readTables.database, item);
    return unfinished === null;
  });
  return changedRows;
}

/** Somebody waits for the end: rather than for ever, until nothing goes on. */
async function requireProgress(
  readTables: SyncSession['readTables']['database'],
  upTo: number,
): Promise<void> {
  const reason = await whyWorkWaits(readTables, upTo);
  if (reason === null) return;
  throw new Error(
    `Work that is left fails: ${reason}. A worker tries it again; \`npm run sync -- --status\` names it`,
  );
}

async function runUntil(
  configuration: SyncConfiguration,
  isDone: (session: SyncSession, isFirst: boolean) => Promise<boolean>,
): Promise<void> {
  const program = new SyncProgram(configuration, new PrometheusMetrics(), process.stderr);
  let isFirst = true;
  try {
    await program.loop.runUntil(async (session) => {
      if (isFirst) await retryWaitingWork(session.readTables.database);
      const done = await isDone(session, isFirst);
      isFirst = false;
      return done;
    });
  } finally {
    await program.stop();
  }
}

function reportProgress({ scope, progress }: WorkItem, report: (progress: RebuildProgress) => void): void {
  const stage = progress === null || scope.of === 'rows' ? null : stageOf(scope, progress.stage);
  if (stage === null || progress === null || progress.total === null) return;
  const { done, total } = progress;
  report({ kind: stage.kind, done, total: Math.max(done, total) });
}
