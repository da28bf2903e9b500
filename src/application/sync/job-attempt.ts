import { SelectFails } from '../../domain/errors.js';
import type { Job } from '../../domain/model/job.js';
import type { ReadModelUpdate } from '../../domain/model/read-model.js';
import { jobWait } from '../../domain/policies/next-attempt.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { Metrics } from '../../domain/ports/system/metrics.js';
import type { Batch, BatchSize } from './batch-size.js';
import type { JobStep } from './job-step.js';
import type { UnshownRows } from './unshown-rows.js';
import type { UpdateReadModel } from './update-read-model.js';

/**
 * One step of a job. Each failure halves the next one, until a row that always fails is alone and
 * the job goes on after it. If not a row is the cause, the job is retried later.
 */
export class JobAttempt {
  constructor(
    private readonly jobStep: JobStep,
    private readonly update: UpdateReadModel,
    private readonly unshown: UnshownRows,
    private readonly metrics: Metrics,
    private readonly log: Log,
    private readonly clock: Clock,
    private readonly size: BatchSize,
  ) {}

  /** Returns the number of changed rows. */
  async run(
    epoch: number,
    job: Job,
    source: ContentSource,
    maxRows: number,
    targetMs: number,
    isCurrent: () => Promise<boolean>,
  ): Promise<number> {
    const { scope, progress } = job;
    const begin = this.clock.now();
    const batch = this.size.begin(`${scope.kind} ${progress?.stage ?? 0}`, maxRows, targetMs);
    try {
      const changedRows = await this.jobStep.run(epoch, job, source, batch, isCurrent);
      batch.succeeded(this.clock.now() - begin);
      return changedRows;
    } catch (error) {
      this.unshown.requireServers(error);
      await this.#afterFailure(epoch, job, source, batch, error, this.clock.now() - begin);
      return 0;
    }
  }

  async #afterFailure(
    epoch: number,
    job: Job,
    source: ContentSource,
    batch: Batch,
    error: unknown,
    tookMs: number,
  ): Promise<void> {
    const { id, scope, attempts } = job;
    this.metrics.count('job-failed');
    const details = { error, job: id, scope: scope.kind, rows: batch.rows, attempts: attempts + 1 };
    this.log.error('syncing: a step of a job failed and is retried', details);
    const rows = error instanceof SelectFails ? 0 : await this.#rowsOf(job, source, batch.rows);
    if (rows > 1) batch.failed(rows);
    else if (rows === 1 && (await this.#isPassed(epoch, job, source, error, tookMs))) batch.succeeded(tookMs);
    else await this.update.run(epoch, failing(job, error, tookMs));
  }

  /** It may fail as well: then the row is not the cause. */
  async #isPassed(
    epoch: number,
    job: Job,
    source: ContentSource,
    error: unknown,
    tookMs: number,
  ): Promise<boolean> {
    try {
      return await this.jobStep.passFirstRow(epoch, job, source, error, tookMs);
    } catch (failure) {
      this.unshown.requireServers(failure);
      return false;
    }
  }

  /** None if not even the key of one can be read. */
  async #rowsOf(job: Job, source: ContentSource, size: number): Promise<number> {
    try {
      return Math.min(size, (await this.jobStep.nextKeys(job, source, size)).length);
    } catch (error) {
      this.unshown.requireServers(error);
      return size > 1 ? size : 0;
    }
  }
}

function failing({ id, attempts }: Job, error: unknown, tookMs: number): ReadModelUpdate {
  const retryAfterMs = jobWait(attempts + 1, tookMs);
  return { slices: [], jobs: [{ kind: 'fail', id, error: reasonOf(error), retryAfterMs }] };
}
