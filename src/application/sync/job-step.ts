import type { Job, JobProgress, JobUpdate } from '../../domain/model/job.js';
import type {
  ReadModelSlice,
  ReadModelUpdate,
  RowKind,
  WebsiteOwner,
} from '../../domain/model/read-model.js';
import { shortened } from '../../domain/policies/row-refusal.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { Batch } from './batch-size.js';
import { BEGINNING, nextStage, stageOf } from './job-stages.js';
import { readSlice } from './read-slice.js';
import { storable, storedAs } from './unshown-row.js';
import type { UpdateReadModel, Watch } from './update-read-model.js';

/** Counting the lists of an organization takes as long as this many rows. */
const ROWS_PER_ORGANIZATION = 10;

/** A step that only reads keys handles this many keys per row. */
const KEYS_PER_ROW = 8;

type Step = Pick<Batch, 'rows' | 'isSearch'>;

/** The rows of a step, in case that it fails. */
interface StepPiece {
  /** Null: no kind of rows. */
  readonly kind: RowKind | null;
  /** Null: they are not read yet. */
  readonly keys: readonly string[] | null;
  /** Updates with which the job continues after these keys. */
  readonly advance: readonly JobUpdate[];
}

/** Keys in the order of a walk, and the rows of those that are wanted. */
interface Reading {
  readonly keys: readonly string[];
  readonly wanted: readonly string[];
  readonly slice: Promise<ReadModelSlice | null>;
}

interface Ahead {
  readonly jobId: number;
  readonly progress: JobProgress;
  readonly written: Watch;
  readonly reading: Promise<Reading>;
}

/** One step of a job, committed together with the position where the next one begins. */
export class JobStep {
  #ahead: Ahead | null = null;
  #hasFinished = false;
  #piece: StepPiece = { kind: null, keys: null, advance: [] };

  constructor(
    private readonly writer: ReadModelWriter,
    private readonly update: UpdateReadModel,
  ) {}

  /** Whether the last step ended its job. */
  get hasFinished(): boolean {
    return this.#hasFinished;
  }

  /** The piece of the last step. */
  get piece(): StepPiece {
    return this.#piece;
  }

  /** Returns the number of changed rows. If `isCurrent` denies it, what was read is not written. */
  async take(
    epoch: number,
    job: Job,
    source: ContentSource,
    batch: Step,
    isCurrent: () => Promise<boolean>,
  ): Promise<number> {
    this.#piece = { kind: kindOf(job), keys: null, advance: [] };
    const update = hidesFirst(job) ? startOf(job) : await this.#updateFor(job, source, batch);
    const owners = await this.#ownersFor(job, source);
    if (!(await isCurrent())) return 0;
    const { changedRows } = await this.update.write(epoch, { ...update, owners });
    this.#hasFinished = update.jobs.some(({ kind }) => kind === 'finish');
    return changedRows;
  }

  /** The keys of the next step of this size. */
  async #nextKeys(job: Job, source: ContentSource, size: number): Promise<readonly string[]> {
    const { scope, progress } = job;
    const { stage: number, after } = progress ?? BEGINNING;
    const stage = hidesFirst(job) ? null : stageOf(scope, number);
    switch (stage?.walks) {
      case 'source':
        return source.keys(stage.kind, scope, after, size);
      case 'readModel':
        return this.writer.keys(stage.kind, scope, after, size === 1 ? 1 : size * KEYS_PER_ROW);
      case 'totals':
        return this.writer.nextOrganizations(after, Math.ceil(size / ROWS_PER_ORGANIZATION));
      default:
        return [];
    }
  }

  async #updateFor(job: Job, source: ContentSource, batch: Step): Promise<ReadModelUpdate> {
    const { id, scope } = job;
    const progress = job.progress ?? BEGINNING;
    const stage = stageOf(scope, progress.stage);
    if (stage === null) return { slices: [], jobs: [{ kind: 'finish', id }] };
    if (stage.walks === 'totals') {
      const recount = await this.#nextKeys(job, source, batch.rows);
      if (recount.length === 0) return { slices: [], jobs: await this.#nextStage(job) };
      return { slices: [], recount, jobs: this.#noteKeys(job, recount, recount) };
    }
    if (stage.walks === 'readModel')
      return this.#write(job, await this.#leftFrom(stage.kind, source, job, batch.rows));
    const isCounted = scope.kind === 'everything' && progress.total === null;
    const total = isCounted ? await source.count(stage.kind) : progress.total;
    return this.#rowsOf(stage.kind, source, { ...job, progress: { ...progress, total } }, batch);
  }

  /**
   * A failover may lose the change for which rows were hidden, so a walk over everything reads the
   * owners first.
   */
  async #ownersFor({ scope, progress }: Job, source: ContentSource): Promise<readonly WebsiteOwner[]> {
    if (progress !== null) return [];
    if (scope.kind === 'websites') return source.owners(scope.keys);
    if (scope.kind !== 'everything' && scope.kind !== 'reconcile') return [];
    const hidden = await this.writer.hiddenWebsites();
    return hidden.length === 0 ? [] : source.owners(hidden);
  }

  /** While the rows of a step are written, those of the next one are read. */
  async #rowsOf(
    kind: RowKind,
    source: ContentSource,
    job: Job,
    { rows: size, isSearch }: Step,
  ): Promise<ReadModelUpdate> {
    const progress = job.progress ?? BEGINNING;
    const ahead =
      this.#ahead?.jobId === job.id && isSame(this.#ahead.progress, progress) ? this.#ahead : null;
    this.#ahead = null;
    const reading = (await ahead?.reading) ?? (await this.#readNext(kind, source, job, size));
    const isOutdated = ahead?.written.mayConcern(reading.wanted) ?? false;
    const update = await this.#write(
      job,
      isOutdated ? await this.#readNext(kind, source, job, size) : reading,
    );
    // Reconciling writes only what is still current after it was read.
    if (job.scope.kind !== 'reconcile' && !isSearch) this.#readAhead(kind, source, job, update.jobs, size);
    return update;
  }

  async #write(job: Job, reading: Reading): Promise<ReadModelUpdate> {
    const { keys, wanted, slice } = reading;
    if (keys.length === 0) return { slices: [], jobs: await this.#nextStage(job) };
    this.#noteKeys(job, keys, wanted);
    const rows = await slice;
    // The rows may be too large for one read, which also reads other spellings of its keys.
    const read = new Set(rows?.ids);
    const last = wanted.findLast((key) => read.has(key));
    const done = last === wanted.at(-1) ? keys : keys.slice(0, keys.indexOf(last as string) + 1);
    const jobs = this.#noteKeys(job, done, wanted.slice(0, wanted.indexOf(last as string) + 1));
    return { slices: rows === null ? [] : [rows], jobs };
  }

  #readAhead(
    kind: RowKind,
    source: ContentSource,
    job: Job,
    [next]: readonly JobUpdate[],
    size: number,
  ): void {
    if (next?.kind !== 'advance' || next.progress.stage !== job.progress?.stage) return;
    const { progress } = next;
    const written = this.update.watch(kind);
    const reading = this.#readNext(kind, source, { ...job, progress }, size);
    // Reported by the step that takes them.
    reading.catch(() => {});
    this.#ahead = { jobId: job.id, progress, written, reading };
  }

  async #readNext(kind: RowKind, source: ContentSource, job: Job, size: number): Promise<Reading> {
    const keys = await this.#nextKeys(job, source, size);
    // Reconciling says nothing about rows that wait for another attempt.
    const unshown = new Set(
      job.scope.kind === 'reconcile' ? await this.writer.unshown(kind, keys.map(storable)) : [],
    );
    const wanted = keys.filter((key) => !unshown.has(storable(key)));
    return readingOf(source, kind, keys, wanted);
  }

  /** What the source has of the scope is read by the stage that walks it. */
  async #leftFrom(kind: RowKind, source: ContentSource, job: Job, size: number): Promise<Reading> {
    const keys = await this.#nextKeys(job, source, size);
    if (keys.length === 0) return readingOf(source, kind, keys, keys);
    this.#noteKeys(job, keys, keys);
    const existing = await source.existing(kind, job.scope, keys.flatMap(storedAs));
    const inScope = new Set(existing.map(storable));
    const left = keys.filter((key) => !inScope.has(key));
    // What is in no scope is gone, which costs little.
    const wanted = 'keys' in job.scope ? left.slice(0, size) : left;
    const end = wanted.length < left.length ? keys.indexOf(wanted.at(-1) as string) + 1 : keys.length;
    return readingOf(source, kind, keys.slice(0, end), wanted);
  }

  /** A stage that walks the read model takes no step if it has no keys. */
  async #nextStage({ id, scope, progress }: Job): Promise<readonly JobUpdate[]> {
    for (let next = nextStage(progress ?? BEGINNING); ; next = nextStage(next)) {
      const stage = stageOf(scope, next.stage);
      if (stage === null) return [{ kind: 'finish', id }];
      if (stage.walks !== 'readModel' || (await this.writer.keys(stage.kind, scope, null, 1)).length > 0)
        return [{ kind: 'advance', id, progress: next }];
    }
  }

  /** Returns the update with which the job continues after `done`. */
  #noteKeys(job: Job, done: readonly string[], keys: readonly string[]): readonly JobUpdate[] {
    const advance = [advancePast(job.id, job.progress ?? BEGINNING, done)];
    this.#piece = { ...this.#piece, keys, advance };
    return advance;
  }
}

/** `wanted`: those of the keys that are read, if they are not too large for one read. */
function readingOf(
  source: ContentSource,
  kind: RowKind,
  keys: readonly string[],
  wanted: readonly string[],
): Reading {
  const slice =
    wanted.length === 0 ? Promise.resolve(null) : readSlice(source, kind, wanted.flatMap(storedAs));
  // Reported by the step that takes it.
  slice.catch(() => {});
  return { keys, wanted, slice };
}

/** Null: no rows, or not of one kind. */
function kindOf(job: Job): RowKind | null {
  const stage = hidesFirst(job) ? null : stageOf(job.scope, (job.progress ?? BEGINNING).stage);
  return stage === null || stage.walks === 'totals' ? null : stage.kind;
}

function isSame(ahead: JobProgress, { stage, after }: JobProgress): boolean {
  return ahead.stage === stage && ahead.after === after;
}

/** The change of a website may have failed before it hid anything. */
function hidesFirst({ scope, progress }: Job): boolean {
  return scope.kind === 'websites' && progress === null;
}

function startOf({ id }: Job): ReadModelUpdate {
  return { slices: [], jobs: [{ kind: 'advance', id, progress: BEGINNING }] };
}

/** No walk goes back: each step ends at a key that follows the one before. */
function advancePast(id: number, progress: JobProgress, keys: readonly string[]): JobUpdate {
  const after = keys.at(-1) as string;
  if (progress.after !== null && keys.includes(progress.after))
    throw new Error(`The walk goes back: ${shortened(progress.after)} would be read again`);
  return { kind: 'advance', id, progress: { ...progress, after, done: progress.done + keys.length } };
}
