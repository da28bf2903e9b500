import { MonotonicClock } from '../adapters/system/monotonic-clock.js';
import type { Log } from '../domain/ports/log.js';
import type { Metrics } from '../domain/ports/metrics.js';
import { ApplyChanges } from '../domain/sync/apply-changes.js';
import { JobAttempt } from '../domain/sync/job-attempt.js';
import { JobStep } from '../domain/sync/job-step.js';
import { Pace } from '../domain/sync/pace.js';
import { ReconcileReadModel } from '../domain/sync/reconcile-read-model.js';
import { RunNextJob } from '../domain/sync/run-next-job.js';
import { SlowRows } from '../domain/sync/slow-rows.js';
import { StepSize } from '../domain/sync/step-size.js';
import { SyncWorker } from '../domain/sync/sync-worker.js';
import { UpdateReadModel } from '../domain/sync/update-read-model.js';
import type { SyncPorts } from './session-container.js';

export function syncWorker(
  { feed, source, writer, jobs, published }: SyncPorts,
  metrics: Metrics,
  log: Log,
  isOutage: (error: unknown) => boolean,
  size = new StepSize(),
  slow = new SlowRows(new MonotonicClock()),
): SyncWorker {
  const clock = new MonotonicClock();
  const pace = new Pace(clock);
  const update = new UpdateReadModel(writer, published, metrics, log);
  const jobStep = new JobStep(writer, update, published);
  const attempt = new JobAttempt(jobs, jobStep, update, metrics, log, isOutage, clock, slow);
  return new SyncWorker(
    new ApplyChanges(feed, jobs, update, metrics, log, isOutage, clock, slow, size),
    new RunNextJob(jobs, source, attempt, pace, clock, size),
    new ReconcileReadModel(jobs, feed, attempt, pace, size),
    update,
    pace,
    clock,
    slow,
    size,
  );
}
