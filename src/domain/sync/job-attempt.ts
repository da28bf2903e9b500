import { LeadershipLost, SelectFails, SourceTooSlow } from '../errors.js';
import type { Job, JobUpdate } from '../model/job.js';
import type { AnySlice, ReadModelUpdate } from '../model/read-model.js';
import type { Clock } from '../ports/clock.js';
import type { ContentSource } from '../ports/content-source.js';
import type { JobQueue } from '../ports/job-queue.js';
import type { Log } from '../ports/log.js';
import type { Metrics } from '../ports/metrics.js';
import type { JobStep } from './job-step.js';
import type { PendingRows } from './pending-rows.js';
import type { SlowRows } from './slow-rows.js';
import type { UpdateReadModel } from './update-read-model.js';

const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
const MAX_ERROR_LENGTH = 500;
/** A failed attempt that took longer than this also delays others, so it is not repeated soon. */
const SLOW_MS = 1_000;
const WAIT_PER_DURATION = 10;
const MAX_WAIT_AFTER_SLOW_MS = 600_000;
const TOO_SLOW = 'reading the row, alone, takes longer than the time limit of a statement';
/** Single rows are found in fewer failing steps than by halves. */
const PARTS = 32;
/** With more jobs for rows, they are not divided any further until some are done. */
const MAX_PARTS = 1_000;
/** The limit for rows that fail one by one. With more, the rows are not at fault, and handling them one by one would not end. */
export const MAX_FAILING_ROWS = 100;

/** Calls `use` with a source for one step and the rows to leave as they are. Returns 0 without a call if a step cannot run now. */
export type WithSource = (
  use: (source: ContentSource, pending?: PendingRows) => Promise<number>,
) => Promise<number>;

/**
 * One step of a job. Its failure stops nothing else. Each failure halves the next step, which isolates a row that always fails: the row
 * becomes a job of its own, and the walk continues after it. If that does not help, the job is retried with increasing delays.
 */
export class JobAttempt {
  #rowsRestUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly jobs: JobQueue,
    private readonly jobStep: JobStep,
    private readonly update: UpdateReadModel,
    private readonly metrics: Metrics,
    private readonly log: Log,
    /** Whether a server is unavailable. Then nothing else would succeed, and the job is not at fault. */
    private readonly isOutage: (error: unknown) => boolean,
    private readonly clock: Clock,
    private readonly slow: SlowRows,
  ) {}

  /** Until then, other rows that were set aside wait, because one of them has just delayed all changes. */
  get rowsRestUntil(): number {
    return this.#rowsRestUntil;
  }

  /** Returns the number of changed rows. */
  async run(epoch: number, job: Job, withSource: WithSource, size: number): Promise<number> {
    const begin = this.clock.now();
    try {
      return await withSource((source, pending) =>
        this.#try(epoch, job, this.slow.over(source), size, pending),
      );
    } catch (error) {
      if (error instanceof LeadershipLost || this.isOutage(error)) throw error;
      const tookMs = this.clock.now() - begin;
      const { id, scope, attempts } = job;
      if (scope.of === 'rows' && tookMs >= SLOW_MS) this.#rowsRestUntil = this.clock.now() + 4 * tookMs;
      const isSetAside =
        error instanceof SourceTooSlow && (await this.#setAside(epoch, job, withSource, size));
      if (!isSetAside) await this.update.run(epoch, await this.#afterFailure(job, error, size, tookMs));
      this.metrics.count('job-failed');
      const details = { error, item: id, scope: scope.of, attempts: attempts + 1 };
      this.log.error('syncing: a job failed and is retried', details);
      return 0;
    }
  }

  /** Rows that take too long together are read on their own, so that the walk continues. */
  async #setAside(epoch: number, job: Job, withSource: WithSource, size: number): Promise<boolean> {
    if (job.scope.of === 'rows' || (await this.jobs.count('rows')) >= MAX_FAILING_ROWS) return false;
    let isSetAside = false;
    try {
      await withSource(async (source) => {
        isSetAside = await this.jobStep.skipRows(epoch, job, source, size >> Math.min(job.attempts, 30));
        return 0;
      });
    } catch (error) {
      if (!(error instanceof SourceTooSlow)) throw error;
    }
    return isSetAside;
  }

  async #afterFailure(job: Job, error: unknown, size: number, tookMs: number): Promise<ReadModelUpdate> {
    const { id, scope } = job;
    if (scope.of !== 'rows' || error instanceof SelectFails) return failing(job, error, size, tookMs);
    const { kind, keys } = scope;
    const [key] = keys;
    const finish: JobUpdate = { kind: 'finish', id };
    // API keys are not hidden because the dashboard is slow.
    if (error instanceof SourceTooSlow && keys.length === 1 && kind !== 'apiKeys' && job.attempts > 0) {
      const refused = [{ id: key as string, reason: TOO_SLOW }];
      for (const row of refused) this.slow.add(kind, row.id, row.reason);
      return { slices: [{ kind, ids: keys, rows: [], refused } as AnySlice], work: [finish] };
    }
    if (keys.length === 1 || (await this.jobs.count('rows')) >= MAX_PARTS)
      return failing(job, error, size, tookMs);
    const length = Math.ceil(keys.length / PARTS);
    const parts = Array.from({ length: Math.ceil(keys.length / length) }, (_, n) =>
      keys.slice(n * length, (n + 1) * length),
    );
    const work = parts.map((part): JobUpdate => ({ kind: 'add', scope: { of: 'rows', kind, keys: part } }));
    return { slices: [], work: [finish, ...work] };
  }

  async #try(
    epoch: number,
    job: Job,
    source: ContentSource,
    size: number,
    pending: PendingRows | null = null,
  ): Promise<number> {
    if (job.attempts >= failuresToOneRow(size) && (await this.jobs.count('rows')) < MAX_FAILING_ROWS) {
      if (await this.jobStep.skipRows(epoch, job, source, 1)) return 0;
    }
    const { changedRows } = await this.jobStep.run(
      epoch,
      job,
      source,
      Math.max(1, size >> Math.min(job.attempts, 30)),
      pending,
    );
    return changedRows;
  }
}

/** After this many failures, a step of a single row has failed, too. */
function failuresToOneRow(size: number): number {
  return Math.floor(Math.log2(size)) + 1;
}

function failing(job: Job, error: unknown, size: number, tookMs: number): ReadModelUpdate {
  const halvings = job.scope.of === 'rows' ? 0 : failuresToOneRow(size);
  const waits = job.attempts - halvings;
  const retryMs = waits < 0 ? 0 : Math.min(MIN_WAIT_MS * 2 ** Math.min(waits, 10), MAX_WAIT_MS);
  const slowMs = tookMs < SLOW_MS ? 0 : Math.min(tookMs * WAIT_PER_DURATION, MAX_WAIT_AFTER_SLOW_MS);
  const reason = error instanceof Error ? error.message : String(error);
  const failure: JobUpdate = {
    kind: 'fail',
    id: job.id,
    // The driver puts the statement before the cause.
    error: reason.slice(-MAX_ERROR_LENGTH),
    retryAfterMs: Math.max(retryMs, slowMs),
  };
  return { slices: [], work: [failure] };
}
