import type { Job, JobUpdate } from '../../domain/model/job.js';
import { ALL_OF } from '../../domain/model/job.js';
import type { RowKind } from '../../domain/model/read-model.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { BatchSize } from './batch-size.js';
import { type FailedPieces, requestOf } from './failed-piece.js';
import { BEGINNING, behindKind } from './job-stages.js';
import type { JobStep } from './job-step.js';
import { jobWait } from './next-attempt.js';

/** One step of a job. After a failure, the next one has fewer rows. */
export class JobAttempt {
  constructor(
    private readonly jobStep: JobStep,
    private readonly failed: FailedPieces,
    private readonly clock: Clock,
    private readonly size: BatchSize,
  ) {}

  /** Returns the number of changed rows. */
  async attempt(
    epoch: number,
    job: Job,
    source: ContentSource,
    maxRows: number,
    targetMs: number,
    isCurrent: () => Promise<boolean>,
  ): Promise<number> {
    const { scope, progress } = job;
    const { stage } = progress ?? BEGINNING;
    const begin = this.clock.now();
    const batch = this.size.begin(`${scope.kind} ${stage}`, maxRows, targetMs);
    try {
      const changedRows = await this.jobStep.take(epoch, job, source, batch, isCurrent);
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
