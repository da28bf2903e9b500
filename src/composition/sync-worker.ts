import { MonotonicClock } from '../adapters/system/monotonic-clock.js';
import type { Log } from '../domain/ports/log.js';
import type { Metrics } from '../domain/ports/metrics.js';
import { ApplyChanges } from '../domain/sync/apply-changes.js';
import { BatchSize } from '../domain/sync/batch-size.js';
import { JobAttempt } from '../domain/sync/job-attempt.js';
import { JobStep } from '../domain/sync/job-step.js';
import { ReconcileReadModel } from '../domain/sync/reconcile-read-model.js';
import { RunNextJob } from '../domain/sync/run-next-job.js';
import { SlowRows } from '../domain/sync/slow-rows.js';
import { SyncWorker } from '../domain/sync/sync-worker.js';
import { UpdateReadModel } from '../domain/sync/update-read-model.js';
import type { SyncPorts } from './session-container.js';

/** What outlasts the session of a worker. */
export interface SharedByWorkers {
  readonly size: BatchSize;
  readonly slow: SlowRows;
}

export function sharedByWorkers(): SharedByWorkers {
  return { size: new BatchSize(), slow: new SlowRows(new MonotonicClock()) };
}

export function syncWorker(
  { feed, source, writer, jobs, published }: SyncPorts,
  metrics: Metrics,
  log: Log,
  isOutage: (error: unknown) => boolean,
  { size, slow }: SharedByWorkers = sharedByWorkers(),
): SyncWorker {
  const clock = new MonotonicClock();
  const update = new UpdateReadModel(writer, published, metrics, log);
  const jobStep = new JobStep(writer, update, published);
  const attempt = new JobAttempt(jobs, jobStep, update, metrics, log, isOutage, clock, slow, size);
  return new SyncWorker(
    new ApplyChanges(feed, jobs, update, metrics, log, isOutage, clock, slow, size),
    new RunNextJob(jobs, source, attempt, clock),
    new ReconcileReadModel(jobs, feed, attempt),
    update,
    clock,
    slow,
  );
}
