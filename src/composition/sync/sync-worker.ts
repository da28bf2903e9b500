import { MonotonicClock } from '../../adapters/system/monotonic-clock.js';
import type { Log } from '../../domain/ports/log.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import { ApplyChanges } from '../../domain/sync/apply-changes.js';
import { CheckReadModel } from '../../domain/sync/check-read-model.js';
import { Pace } from '../../domain/sync/pace.js';
import { StepSize } from '../../domain/sync/step-size.js';
import { SyncWorker } from '../../domain/sync/sync-worker.js';
import { UpdateReadModel } from '../../domain/sync/update-read-model.js';
import { WorkAttempt } from '../../domain/sync/work-attempt.js';
import { WorkOff } from '../../domain/sync/work-off.js';
import { WorkPiece } from '../../domain/sync/work-piece.js';
import type { SyncPorts } from './sync-ports.js';

export function syncWorker(
  { feed, source, writer, list, board }: SyncPorts,
  metrics: Metrics,
  log: Log,
  isOutage: (error: unknown) => boolean,
  size = new StepSize(),
): SyncWorker {
  const clock = new MonotonicClock();
  const pace = new Pace(clock);
  const update = new UpdateReadModel(writer, board, metrics, log);
  const piece = new WorkPiece(writer, update, board);
  const attempt = new WorkAttempt(list, piece, update, metrics, log, isOutage);
  return new SyncWorker(
    new ApplyChanges(feed, list, update, metrics, log, isOutage, clock, size),
    new WorkOff(list, source, attempt, pace, size),
    new CheckReadModel(list, feed, attempt, pace, size),
    update,
    pace,
    size,
  );
}
