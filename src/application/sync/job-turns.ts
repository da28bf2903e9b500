import type { Job, Scope } from '../../domain/model/job.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import type { JobAttempt } from './job-attempt.js';
import { SCOPES_WITH_END } from './job-stages.js';

const ROWS = 500;
/** Most are new or unchanged, and cost less than rows that change. */
const ROWS_OF_EVERYTHING = 1_000;
const API_KEYS: readonly Scope['kind'][] = ['apiKeys'];
const OTHERS = SCOPES_WITH_END.filter((kind) => kind !== 'apiKeys');
/** Of one job, since what is read ahead for it is of no use to another. */
const STEPS_PER_TURN = 4;

/** Runs the jobs of API keys first. The others take turns, the one that waits longest first. */
export class RunNextJob {
  #turn = { jobId: 0, stepsLeft: 0 };

  constructor(
    private readonly jobs: JobQueue,
    private readonly source: ContentSource,
    private readonly jobAttempt: JobAttempt,
  ) {}

  /** Runs one step. False: there is no job. */
  async step(epoch: number, targetMs: number): Promise<boolean> {
    const job = await this.#next();
    if (job === null) return false;
    const maxRows = job.scope.kind === 'everything' ? ROWS_OF_EVERYTHING : ROWS;
    await this.jobAttempt.attempt(epoch, job, this.source, maxRows, targetMs, isAlwaysCurrent);
    return true;
  }

  async #next(): Promise<Job | null> {
    const next = await this.jobs.next(API_KEYS, OTHERS);
    if (next === null || next.scope.kind === 'apiKeys') return next;
    const { jobId, stepsLeft } = this.#turn;
    const same = stepsLeft > 0 ? await this.jobs.find(jobId) : null;
    // One that fails may wait for a retry.
    const job = same?.attempts === 0 ? same : next;
    this.#turn = { jobId: job.id, stepsLeft: (job === same ? stepsLeft : STEPS_PER_TURN) - 1 };
    return job;
  }
}

/** What changes meanwhile is queued, and applied later. */
async function isAlwaysCurrent(): Promise<boolean> {
  return true;
}
