import type { ChangeQueue } from '../../domain/model/capture.js';
import type { JobsState } from '../../domain/model/job.js';

/** The threshold of the alert BlogSyncLags. */
const TOLERATED_LAG_MS = 30_000;

/** The age of the oldest change or step of a job. Null: an extension stores the jobs. */
export function syncLagMs(queue: ChangeQueue, jobs: JobsState | null): number {
  return Math.max(queue.lagMs ?? 0, jobs?.oldestStepMs ?? 0);
}

export function isLate(lagMs: number): boolean {
  return lagMs > TOLERATED_LAG_MS;
}
