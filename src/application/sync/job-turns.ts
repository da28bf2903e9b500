import type { Job, Scope } from '../../domain/model/job.js';
import type { ChangeFeed } from '../../domain/ports/dashboard/change-feed.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import type { JobAttempt } from './job-attempt.js';
import { SCOPES_WITH_END } from './job-stages.js';
import type { UpdateReadModel } from './update-read-model.js';

const ROWS = 500;
/** Most are new or unchanged, and cost less than rows that change. */
const ROWS_OF_EVERYTHING = 1_000;
const ROWS_TO_RECONCILE = 100;
const API_KEYS: readonly Scope['kind'][] = ['apiKeys'];
const OTHERS = SCOPES_WITH_END.filter((kind) => kind !== 'apiKeys');
/** Of one job, since what is read ahead for it is of no use to another. */
const STEPS_PER_TURN = 4;

/** The jobs of API keys go first. The others take turns, the one that waits longest first. */
export class JobTurns {
  #turn = { jobId: 0, stepsLeft: 0 };

  constructor(
    private readonly jobs: JobQueue,
    private readonly feed: ChangeFeed,
    private readonly source: ContentSource,
    private readonly jobAttempt: JobAttempt,
    private readonly update: UpdateReadModel,
  ) {}

  /** Runs one step. False: there is no job. */
  async step(epoch: number, targetMs: number): Promise<boolean> {
    const job = await this.#next();
    if (job === null) return false;
    const maxRows = job.scope.kind === 'everything' ? ROWS_OF_EVERYTHING : ROWS;
    await this.jobAttempt.attempt(epoch, job, this.source, maxRows, targetMs, isAlwaysCurrent);
    return true;
  }

  /**
   * Reconciles a piece of all rows, repeatedly and while nothing else waits: a difference then is a
   * bug, and is repaired. Returns the number of repaired rows.
   */
  async reconcile(epoch: number, targetMs: number): Promise<number> {
    if ((await this.jobs.unfinished(SCOPES_WITH_END)).length > 0) return 0;
    if ((await this.jobs.unfinished(['reconcile'])).length === 0)
      await this.update.write(epoch, { slices: [], jobs: [{ kind: 'add', scope: { kind: 'reconcile' } }] });
    const job = await this.jobs.next(['reconcile']);
    if (job === null) return 0;
    // After the rows are read: what was committed before that is queued, or was applied.
    const isCurrent = () => this.feed.read(1, async (changes) => changes.length === 0);
    return this.jobAttempt.attempt(epoch, job, this.source, ROWS_TO_RECONCILE, targetMs, isCurrent);
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
