import type { Job, Scope } from '../model/job.js';
import type { Clock } from '../ports/clock.js';
import type { ContentSource } from '../ports/content-source.js';
import type { JobQueue } from '../ports/job-queue.js';
import { type JobAttempt, SLOW_MS } from './job-attempt.js';

const ROWS = 500;
const LANES: readonly (readonly Scope['of'][])[] = [
  ['categories', 'tags', 'websites'],
  ['everything'],
  ['rows'],
];
/**
 * After a row that delayed all changes, rows that were set aside wait for this many times as long.
 */
const REST_PER_DURATION = 4;

/**
 * Runs the jobs of API keys first. The others take turns, so that none waits until another ends.
 */
export class RunNextJob {
  #turn = 0;
  #rowsRestUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly jobs: JobQueue,
    private readonly source: ContentSource,
    private readonly attempt: JobAttempt,
    private readonly clock: Clock,
  ) {}

  /** Runs one step. False: there is no job. */
  async run(epoch: number, targetMs: number): Promise<boolean> {
    const job = await this.#next();
    if (job === null) return false;
    const begin = this.clock.now();
    const { hasFailed } = await this.attempt.run(epoch, job, (use) => use(this.source, null), ROWS, targetMs);
    const end = this.clock.now();
    if (hasFailed && job.scope.of === 'rows' && end - begin >= SLOW_MS)
      this.#rowsRestUntil = end + REST_PER_DURATION * (end - begin);
    return true;
  }

  async #next(): Promise<Job | null> {
    const areRowsResting = this.clock.now() < this.#rowsRestUntil;
    const lanes = [...LANES.slice(this.#turn), ...LANES.slice(0, this.#turn)].filter(
      ([of]) => of !== 'rows' || !areRowsResting,
    );
    const job = await this.jobs.next(['apiKeys'], ...lanes);
    const lane = LANES.findIndex((scopes) => job !== null && scopes.includes(job.scope.of));
    if (lane !== -1) this.#turn = (lane + 1) % LANES.length;
    return job;
  }
}
