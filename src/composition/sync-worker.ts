import { MonotonicClock } from '../adapters/system/monotonic-clock.js';
import type { Log } from '../domain/ports/log.js';
import type { Metrics } from '../domain/ports/metrics.js';
import { ApplyChanges } from '../domain/sync/apply-changes.js';
import { BatchSize } from '../domain/sync/batch-size.js';
import { JobAttempt } from '../domain/sync/job-attempt.js';
import { JobStep } from '../domain/sync/job-step.js';
import { ReconcileReadModel } from '../domain/sync/reconcile-read-model.js';
import { RunNextJob } from '../domain/sync/run-next-job.js';
import { SyncWorker } from '../domain/sync/sync-worker.js';
import { UpdateReadModel } from '../domain/sync/update-read-model.js';
import type { SyncPorts } from './session-container.js';

export function syncWorker(
  { feed, source, writer, jobs, published }: SyncPorts,
  metrics: Metrics,
  log: Log,
  isOutage: (error: unknown) => boolean,
  /** Outlasts the session of a worker. */
  size = new BatchSize(),
): SyncWorker {
  const clock = new MonotonicClock();
  const update = new UpdateReadModel(writer, published, metrics, log);
  const jobStep = new JobStep(writer, update);
  const attempt = new JobAttempt(jobs, jobStep, update, metrics, log, isOutage, clock, size);
  return new SyncWorker(
    new ApplyChanges(feed, jobs, update, metrics, log, isOutage, clock, size),
    new RunNextJob(jobs, source, attempt),
    new ReconcileReadModel(jobs, feed, source, attempt),
    update,
    clock,
  );
}
