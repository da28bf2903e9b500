import { LeadershipLost, SelectFails, SourceTooSlow } from '../errors.js';
import type { Job, JobUpdate } from '../model/job.js';
import type { ReadModelUpdate } from '../model/read-model.js';
import { reasonOf } from '../policies/reason-of.js';
import type { ContentSource } from '../ports/dashboard/content-source.js';
import type { JobQueue } from '../ports/sync/job-queue.js';
import type { Clock } from '../ports/system/clock.js';
import type { Log } from '../ports/system/log.js';
import type { Metrics } from '../ports/system/metrics.js';
import type { BatchSize } from './batch-size.js';
import type { JobStep } from './job-step.js';
import type { UpdateReadModel } from './update-read-model.js';

const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
/** A slow failure also delays others, so its pauses are longer. */
const MIN_WAIT_PER_DURATION = 10;
const MAX_WAIT_PER_DURATION = 400;
/** Single rows are found in fewer failing steps than by halves. */
const PARTS = 32;
/** With more jobs for rows, they are not divided any further until some are done. */
const MAX_PARTS = 1_000;
/** With more rows that fail one by one, the rows are not at fault. */
export const MAX_FAILING_ROWS = 100;

const NOTHING: ReadModelUpdate = { slices: [], jobs: [] };

/**
 * One step of a job. Each failure halves the next one, until a row that always fails is alone and
 * becomes a job. Otherwise the job is retried later.
 */
export class JobAttempt {
  constructor(
    private readonly jobs: JobQueue,
    private readonly jobStep: JobStep,
    private readonly update: UpdateReadModel,
    private readonly metrics: Metrics,
    private readonly log: Log,
    /** Whether a server is unavailable: then the job is not at fault. */
    private readonly isOutage: (error: unknown) => boolean,
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
    const { id, scope, attempts, progress } = job;
    const begin = this.clock.now();
    const batch = this.size.begin(`${scope.kind} ${progress?.stage ?? 0}`, maxRows, targetMs);
    try {
      const changedRows = await this.jobStep.run(epoch, job, source, batch.rows, isCurrent);
      batch.succeeded(this.clock.now() - begin);
      return changedRows;
    } catch (error) {
      this.#requireServers(error);
      const tookMs = this.clock.now() - begin;
      this.metrics.count('job-failed');
      const details = { error, job: id, scope: scope.kind, rows: batch.rows, attempts: attempts + 1 };
      this.log.error('syncing: a job failed and is retried', details);
      if (!(await this.#setAside(epoch, job, source, batch.rows, error)))
        await this.update.run(epoch, await this.#afterFailure(job, batch.rows, error, tookMs));
      return 0;
    }
  }

  #requireServers(error: unknown): void {
    if (error instanceof LeadershipLost || this.isOutage(error)) throw error;
  }

  /**
   * A single row, or rows that take too long together, are read on their own, so that the walk
   * continues.
   */
  async #setAside(
    epoch: number,
    job: Job,
    source: ContentSource,
    rows: number,
    error: unknown,
  ): Promise<boolean> {
    if (job.scope.kind === 'rows' || (rows > 1 && !(error instanceof SourceTooSlow))) return false;
    if ((await this.jobs.count('rows')) >= MAX_FAILING_ROWS) return false;
    try {
      return await this.jobStep.skipRows(epoch, job, source, rows);
    } catch (skipError) {
      this.#requireServers(skipError);
      return false;
    }
  }

  async #afterFailure(job: Job, rows: number, error: unknown, tookMs: number): Promise<ReadModelUpdate> {
    const { id, scope } = job;
    if (scope.kind !== 'rows') return rows > 1 ? NOTHING : failing(job, error, tookMs);
    if (error instanceof SelectFails) return failing(job, error, tookMs);
    const { rowKind, keys } = scope;
    const finish: JobUpdate = { kind: 'finish', id };
    if (keys.length === 1 || (await this.jobs.count('rows')) >= MAX_PARTS) return failing(job, error, tookMs);
    const length = Math.ceil(keys.length / PARTS);
    const parts = Array.from({ length: Math.ceil(keys.length / length) }, (_, n) =>
      keys.slice(n * length, (n + 1) * length),
    );
    const jobs = parts.map(
      (part): JobUpdate => ({ kind: 'add', scope: { kind: 'rows', rowKind, keys: part } }),
    );
    return { slices: [], jobs: [finish, ...jobs] };
  }
}

function failing(job: Job, error: unknown, tookMs: number): ReadModelUpdate {
  const least = Math.max(MIN_WAIT_MS, MIN_WAIT_PER_DURATION * tookMs);
  const most = Math.max(MAX_WAIT_MS, MAX_WAIT_PER_DURATION * tookMs);
  const failure: JobUpdate = {
    kind: 'fail',
    id: job.id,
    error: reasonOf(error),
    retryAfterMs: Math.min(least * 2 ** job.attempts, most),
  };
  return { slices: [], jobs: [failure] };
}
