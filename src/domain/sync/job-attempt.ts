import { LeadershipLost } from '../errors.js';
import type { Job, JobUpdate } from '../model/job.js';
import type { ContentSource } from '../ports/content-source.js';
import type { JobQueue } from '../ports/job-queue.js';
import type { Log } from '../ports/log.js';
import type { Metrics } from '../ports/metrics.js';
import type { JobStep } from './job-step.js';
import type { PendingRows } from './pending-rows.js';
import type { UpdateReadModel } from './update-read-model.js';

const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
const MAX_ERROR_LENGTH = 500;
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
  constructor(
    private readonly jobs: JobQueue,
    private readonly jobStep: JobStep,
    private readonly update: UpdateReadModel,
    private readonly metrics: Metrics,
    private readonly log: Log,
    /** Whether a server is unavailable. Then nothing else would succeed, and the job is not at fault. */
    private readonly isOutage: (error: unknown) => boolean,
  ) {}

  /** Returns the number of changed rows. */
  async run(epoch: number, job: Job, withSource: WithSource, size: number): Promise<number> {
    try {
      return await withSource((source, pending) => this.#try(epoch, job, source, size, pending));
    } catch (error) {
      if (error instanceof LeadershipLost || this.isOutage(error)) throw error;
      await this.update.run(epoch, { slices: [], work: [failureOf(job, error, size)] });
      this.metrics.count('job-failed');
      const { id, scope, attempts } = job;
      const details = { error, item: id, scope: scope.of, attempts: attempts + 1 };
      this.log.error('syncing: a job failed and is retried', details);
      return 0;
    }
  }

  async #try(
    epoch: number,
    job: Job,
    source: ContentSource,
    size: number,
    pending: PendingRows | null = null,
  ): Promise<number> {
    if (job.attempts >= failuresToOneRow(size) && (await this.jobs.count('rows')) < MAX_FAILING_ROWS) {
      if (await this.jobStep.skipRow(epoch, job, source)) return 0;
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

function failureOf(job: Job, error: unknown, size: number): JobUpdate {
  const halvings = job.scope.of === 'rows' ? 0 : failuresToOneRow(size);
  const waits = job.attempts - halvings;
  const retryAfterMs = waits < 0 ? 0 : Math.min(MIN_WAIT_MS * 2 ** Math.min(waits, 10), MAX_WAIT_MS);
  const reason = error instanceof Error ? error.message : String(error);
  // The driver puts the statement before the cause.
  return { kind: 'fail', id: job.id, error: reason.slice(-MAX_ERROR_LENGTH), retryAfterMs };
}
