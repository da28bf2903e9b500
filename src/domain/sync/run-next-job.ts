import type { Job, Scope } from '../model/job.js';
import type { Clock } from '../ports/clock.js';
import type { ContentSource } from '../ports/content-source.js';
import type { JobQueue } from '../ports/job-queue.js';
import type { JobAttempt } from './job-attempt.js';
import type { Pace } from './pace.js';
import { StepSize } from './step-size.js';

const ROWS = 500;
const LANES: readonly (readonly Scope['of'][])[] = [
  ['generations'],
  ['categories', 'tags', 'websites'],
  ['everything'],
  ['rows'],
];

/**
 * Runs the jobs of the queue, those of API keys first. Generations, jobs for the rows that depend on others, jobs that read everything and
 * single rows take turns, so that none waits until another ends.
 */
export class RunNextJob {
  #turn = 0;

  constructor(
    private readonly jobs: JobQueue,
    private readonly source: ContentSource,
    private readonly attempt: JobAttempt,
    private readonly pace: Pace,
    private readonly clock: Clock,
    private readonly size = new StepSize(),
  ) {}

  /** Runs one step. False: there is no job. */
  async run(epoch: number): Promise<boolean> {
    const job = await this.#next();
    if (job === null) return false;
    const stepKind = `${job.scope.of} ${job.progress?.stage ?? 0}`;
    await this.pace.during(stepKind, this.size.of(ROWS), (size) =>
      this.attempt.run(epoch, job, (use) => use(this.source), size),
    );
    return true;
  }

  async #next(): Promise<Job | null> {
    const areRowsResting = this.clock.now() < this.attempt.rowsRestUntil;
    const lanes = [...LANES.slice(this.#turn), ...LANES.slice(0, this.#turn)].filter(
      ([of]) => of !== 'rows' || !areRowsResting,
    );
    const job = await this.jobs.next(['apiKeys'], ...lanes);
    const lane = LANES.findIndex((scopes) => job !== null && scopes.includes(job.scope.of));
    if (lane !== -1) this.#turn = (lane + 1) % LANES.length;
    return job;
  }
}
