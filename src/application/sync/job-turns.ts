import { ALL_OF, type Job, type JobUpdate, type Scope } from '../../domain/model/job.js';
import type { RowKind } from '../../domain/model/read-model.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
import type { ChangeFeed } from '../../domain/ports/dashboard/change-feed.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { JobQueue } from '../../domain/ports/sync/job-queue.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { BatchSize } from './batch-size.js';
import { type FailedPieces, requestOf } from './failed-piece.js';
import { BEGINNING, behindKind, SCOPES_WITH_END } from './job-stages.js';
import type { JobStep } from './job-step.js';
import { jobWait } from './next-attempt.js';
import type { UpdateReadModel } from './update-read-model.js';

const ROWS = 500;
/** Most of these rows are new or unchanged, and cost less than rows that change. */
const ROWS_OF_EVERYTHING = 1_000;
const ROWS_TO_RECONCILE = 100;
const API_KEYS: readonly Scope['kind'][] = ['apiKeys'];
const OTHERS = SCOPES_WITH_END.filter((kind) => kind !== 'apiKeys');
/** Several steps of one job, since the rows that are read ahead for it are of no use to others. */
const STEPS_PER_TURN = 4;

/** The jobs of API keys go first. The others take turns, the one that waits longest first. */
export class JobTurns {
  #turn = { jobId: 0, stepsLeft: 0 };

  constructor(
    private readonly jobs: JobQueue,
    private readonly feed: ChangeFeed,
    private readonly source: ContentSource,
    private readonly jobStep: JobStep,
    private readonly update: UpdateReadModel,
    private readonly failed: FailedPieces,
    private readonly clock: Clock,
    private readonly size: BatchSize,
  ) {}

  /** Runs one step. False: there is no job. */
  async step(epoch: number, targetMs: number): Promise<boolean> {
    const job = await this.#next();
    if (job === null) return false;
    const maxRows = job.scope.kind === 'everything' ? ROWS_OF_EVERYTHING : ROWS;
    await this.#attempt(epoch, job, maxRows, targetMs, isAlwaysCurrent);
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
    return this.#attempt(epoch, job, ROWS_TO_RECONCILE, targetMs, isCurrent);
  }

  /** After a failure, the next step has fewer rows. Returns the number of changed rows. */
  async #attempt(
    epoch: number,
    job: Job,
    maxRows: number,
    targetMs: number,
    isCurrent: () => Promise<boolean>,
  ): Promise<number> {
    const { scope, progress } = job;
    const { stage } = progress ?? BEGINNING;
    const begin = this.clock.now();
    const batch = this.size.begin(`${scope.kind} ${stage}`, maxRows, targetMs);
    try {
      const changedRows = await this.jobStep.take(epoch, job, this.source, batch, isCurrent);
      batch.succeeded(this.clock.now() - begin);
      if (this.jobStep.hasFinished) this.failed.noteRead(readBy(job));
      return changedRows;
    } catch (error) {
      const tookMs = this.clock.now() - begin;
      const { kind, keys, advance } = this.jobStep.piece;
      const rows = (keys ?? []).map((id) => ({ id, attempts: 0 }));
      const size = keys?.length ?? batch.rows;
      const jobsOfKind = jobsIfKindFails(job, kind, error, tookMs);
      const piece = { kind, rows, size, isCaptured: false, jobsOfRow: advance, jobsOfKind };
      const isFailing = !isRequestOf(kind, job) && this.failed.isFailing(kind);
      const verdict = await this.failed.settle(epoch, piece, error, tookMs, isFailing);
      if (verdict === 'halve') batch.failed(size);
      else if (verdict === 'kind') batch.tryOne();
      else batch.succeeded(tookMs);
      return 0;
    }
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

/** The request for all of a kind is tried again. Other jobs leave the kind to it, and go on. */
function jobsIfKindFails(
  job: Job,
  kind: RowKind | null,
  error: unknown,
  tookMs: number,
): readonly JobUpdate[] {
  const { id, scope, progress, attempts } = job;
  if (kind === null || isRequestOf(kind, job))
    return [{ kind: 'fail', id, error: reasonOf(error), retryAfterMs: jobWait(attempts + 1, tookMs) }];
  const behind = behindKind(scope, progress ?? BEGINNING);
  return [...requestOf(kind), { kind: 'advance', id, progress: behind }];
}

function isRequestOf(kind: RowKind | null, { scope }: Job): boolean {
  return kind !== null && scope.kind === ALL_OF[kind];
}

/** What a finished job proves to be readable. */
function readBy({ scope }: Job): string {
  const kinds = Object.keys(ALL_OF) as RowKind[];
  return kinds.find((kind) => ALL_OF[kind] === scope.kind) ?? 'websites and lists';
}
