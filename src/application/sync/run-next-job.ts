import type { Job, Scope } from '../../domain/model/job.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import type { JobAttempt } from './job-attempt.js';

const ROWS = 500;
/** Most are new or unchanged, and cost less than rows that change. */
const ROWS_OF_EVERYTHING = 1_000;
/** One job after the other: what is read ahead for one is of no use to another. */
const EVERYTHING: readonly Scope['kind'][] = ['everything'];
const API_KEYS: readonly Scope['kind'][] = ['apiKeys'];
const LANES: readonly (readonly Scope['kind'][])[] = [['categories', 'tags', 'websites'], EVERYTHING];

/**
 * Runs the jobs of API keys first. The other lanes take turns, and in each of them the oldest and
 * the newest job, so that none waits until another one ends.
 */
export class RunNextJob {
  #turn = 0;
  /** The lanes in which the newest job has its turn. */
  readonly #newestIsNext = new Set<(typeof LANES)[number]>();

  constructor(
    private readonly jobs: JobQueue,
    private readonly source: ContentSource,
    private readonly attempt: JobAttempt,
  ) {}

  /** Runs one step. False: there is no job. */
  async run(epoch: number, targetMs: number): Promise<boolean> {
    const job = await this.#next();
    if (job === null) return false;
    const maxRows = job.scope.kind === 'everything' ? ROWS_OF_EVERYTHING : ROWS;
    await this.attempt.run(epoch, job, this.source, maxRows, targetMs, isAlwaysCurrent);
    return true;
  }

  async #next(): Promise<Job | null> {
    const lanes = [...LANES.slice(this.#turn), ...LANES.slice(0, this.#turn)];
    const job = await this.#oldestOf([API_KEYS, ...lanes]);
    const lane = LANES.find((scopes) => job !== null && scopes.includes(job.scope.kind));
    if (lane === undefined) return job;
    this.#turn = (LANES.indexOf(lane) + 1) % LANES.length;
    if (this.#newestIsNext.delete(lane)) return this.jobs.newest(lane);
    if (lane !== EVERYTHING) this.#newestIsNext.add(lane);
    return job;
  }

  /** One for all rows does not begin while another one fails: it would fail as well. */
  async #oldestOf(lanes: readonly (readonly Scope['kind'][])[]): Promise<Job | null> {
    const job = await this.jobs.next(...lanes);
    if (job === null || 'keys' in job.scope || job.progress !== null) return job;
    const [oldest] = await this.jobs.unfinished([job.scope.kind]);
    if (oldest?.id === job.id) return job;
    return this.#oldestOf(lanes.filter((scopes) => !scopes.includes(job.scope.kind)));
  }
}

/** What changes meanwhile is queued, and applied later. */
async function isAlwaysCurrent(): Promise<boolean> {
  return true;
}
