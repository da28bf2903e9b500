import { type JobsState, jobsState } from '../../adapters/postgres/inspect/sync-state.js';
import type { ChangeQueue } from '../../domain/model/capture.js';
import type { DatabaseProbe } from '../admin/probe.js';

/** The threshold of the alert BlogSyncLags. */
export const TOLERATED_LAG_MS = 30_000;

export interface SyncLag {
  readonly queue: ChangeQueue;
  /** Null: an extension stores the jobs. */
  readonly jobs: JobsState | null;
  /** The age of the oldest change, or step of a job, that is not applied. */
  readonly lagMs: number;
}

/** How far the read tables are behind, in the one way in which operators are told. */
export async function syncLag(
  readQueue: () => Promise<ChangeQueue>,
  readTables: Pick<DatabaseProbe, 'query'> | null,
): Promise<SyncLag> {
  const [queue, jobs] = await Promise.all([readQueue(), readTables?.query(jobsState) ?? null]);
  return { queue, jobs, lagMs: Math.max(queue.lagMs ?? 0, jobs?.oldestStepMs ?? 0) };
}

/** For people. */
export function describeLag({ lagMs, jobs }: SyncLag): string {
  const failing =
    jobs === null || jobs.failing === 0 ? '' : `; jobs that fail: ${jobs.failing}, first: ${jobs.firstError}`;
  return `the oldest change, or step of a job, has waited for ${Math.round(lagMs / 1_000)} s${failing}`;
}
