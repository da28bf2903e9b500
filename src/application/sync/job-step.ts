import type { Job, JobProgress, JobUpdate } from '../../domain/model/job.js';
import type { AnySlice, ReadModelUpdate, RowKind, WebsiteOwner } from '../../domain/model/read-model.js';
import { shortened, storable, storedAs } from '../../domain/policies/unshown-row.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { Batch } from './batch-size.js';
import { BEGINNING, nextStage, stageOf } from './job-stages.js';
import { readSlice } from './read-slice.js';
import type { UnshownRows } from './unshown-rows.js';
import type { UpdateReadModel } from './update-read-model.js';

/** Counting the lists of an organization takes as long as this many rows. */
const ROWS_PER_ORGANIZATION = 10;

/** A step that only reads keys handles this many keys per row. */
const KEYS_PER_ROW = 8;

type Step = Pick<Batch, 'rows' | 'isSearch'>;

/** The result of one step of a walk. */
interface Walked {
  readonly slice: AnySlice | null;
  /** In the order of the walk. Empty: the walk is over. */
  readonly keys: readonly string[];
}

interface Ahead {
  readonly kind: RowKind;
  readonly after: string | null;
  /** How many writes there are before these rows are written. */
  readonly writes: number;
  readonly rows: Promise<Walked>;
}

/** One step of a job, committed together with the position where the next one begins. */
export class JobStep {
  #ahead: Ahead | null = null;

  constructor(
    private readonly writer: ReadModelWriter,
    private readonly update: UpdateReadModel,
    private readonly unshown: UnshownRows,
  ) {}

  /** Returns the number of changed rows. If `isCurrent` denies it, what was read is not written. */
  async run(
    epoch: number,
    job: Job,
    source: ContentSource,
    batch: Step,
    isCurrent: () => Promise<boolean>,
  ): Promise<number> {
    const update = hidesFirst(job) ? startOf(job) : await this.#updateFor(job, source, batch);
    const owners = await this.#ownersFor(job, source);
    if (!(await isCurrent())) return 0;
    return (await this.update.run(epoch, { ...update, owners })).changedRows;
  }

  /** What the next step of this size is about. */
  async nextKeys(job: Job, source: ContentSource, size: number): Promise<readonly string[]> {
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

  /** Goes on after the first row of a step that failed. False: the cause is no row. */
  async passFirstRow(
    epoch: number,
    job: Job,
    source: ContentSource,
    error: unknown,
    tookMs: number,
  ): Promise<boolean> {
    const { id, scope } = job;
    const progress = job.progress ?? BEGINNING;
    const stage = stageOf(scope, progress.stage);
    if (stage === null) return false;
    const { kind, walks } = stage;
    const keys = await this.nextKeys(job, source, 1);
    const [key] = keys;
    if (key === undefined) return false;
    const jobs = [advancePast(id, progress, keys)];
    if (walks !== 'totals')
      return this.unshown.add(epoch, { kind, id: key, attempts: 0 }, error, tookMs, jobs);
    await this.update.run(epoch, { slices: [], jobs });
    return true;
  }

  async #updateFor(job: Job, source: ContentSource, batch: Step): Promise<ReadModelUpdate> {
    const { id, scope } = job;
    const progress = job.progress ?? BEGINNING;
    const stage = stageOf(scope, progress.stage);
    if (stage === null) return { slices: [], jobs: [{ kind: 'finish', id }] };
    if (stage.walks === 'totals') {
      const recount = await this.nextKeys(job, source, batch.rows);
      return { slices: [], recount, jobs: [await this.#advance(job, progress, recount)] };
    }
    const { slice, keys } =
      stage.walks === 'source'
        ? await this.#nextOfSource(stage.kind, source, job, batch)
        : await this.#nextOfReadModel(stage.kind, source, job, batch.rows);
    const isCounted = scope.kind === 'everything' && stage.walks === 'source';
    const total = progress.total ?? (isCounted && keys.length > 0 ? await source.count(stage.kind) : null);
    const jobs = [await this.#advance(job, { ...progress, total }, keys)];
    return { slices: slice === null ? [] : [slice], jobs };
  }

  /** Past these keys, or to the next stage. One of the read tables without keys takes no step. */
  async #advance(job: Job, progress: JobProgress, keys: readonly string[]): Promise<JobUpdate> {
    const { id, scope } = job;
    if (keys.length > 0) return advancePast(id, progress, keys);
    for (let next = nextStage(progress); ; next = nextStage(next)) {
      const stage = stageOf(scope, next.stage);
      if (stage === null) return { kind: 'finish', id };
      if (stage.walks !== 'readModel' || (await this.writer.keys(stage.kind, scope, null, 1)).length > 0)
        return { kind: 'advance', id, progress: next };
    }
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

  /** While the rows of a step of a rebuild are written, those of the next one are read. */
  async #nextOfSource(
    kind: RowKind,
    source: ContentSource,
    job: Job,
    { rows: size, isSearch }: Step,
  ): Promise<Walked> {
    const progress = job.progress ?? BEGINNING;
    const ahead = this.#ahead;
    this.#ahead = null;
    // Another write may have written newer rows since.
    const isNext =
      ahead?.kind === kind && ahead.after === progress.after && ahead.writes === this.update.writes;
    const next = await (isNext ? ahead.rows : this.#readNext(kind, source, job, size));
    // Reconciling writes only what is still current after it was read.
    const last = next.keys.at(-1);
    if (job.scope.kind !== 'everything' || isSearch || last === undefined) return next;
    const rows = this.#readNext(kind, source, { ...job, progress: { ...progress, after: last } }, size);
    // Reported by the step that takes them.
    rows.catch(() => {});
    this.#ahead = { kind, after: last, writes: this.update.writes + 1, rows };
    return next;
  }

  async #readNext(kind: RowKind, source: ContentSource, job: Job, size: number): Promise<Walked> {
    const keys = await this.nextKeys(job, source, size);
    // Reconciling says nothing about rows that wait for another attempt.
    const unshown = new Set(
      job.scope.kind === 'reconcile' ? await this.writer.unshown(kind, keys.map(storable)) : [],
    );
    const wanted = keys.filter((key) => !unshown.has(storable(key)));
    return this.#readOf(kind, source, keys, wanted);
  }

  /** What the source has of the scope is read by the stage that walks it. */
  async #nextOfReadModel(kind: RowKind, source: ContentSource, job: Job, size: number): Promise<Walked> {
    const keys = await this.nextKeys(job, source, size);
    if (keys.length === 0) return { slice: null, keys };
    const existing = await source.existing(kind, job.scope, keys.flatMap(storedAs));
    const inScope = new Set(existing.map(storable));
    const left = keys.filter((key) => !inScope.has(key));
    // What is in no scope is gone, which costs little.
    const wanted = 'keys' in job.scope ? left.slice(0, size) : left;
    const end = wanted.length < left.length ? keys.indexOf(wanted.at(-1) as string) + 1 : keys.length;
    return this.#readOf(kind, source, keys.slice(0, end), wanted);
  }

  /** `wanted`: those of the keys that are read, if they are not too large for one read. */
  async #readOf(
    kind: RowKind,
    source: ContentSource,
    keys: readonly string[],
    wanted: readonly string[],
  ): Promise<Walked> {
    if (wanted.length === 0) return { slice: null, keys };
    const slice = (await readSlice(source, kind, wanted.flatMap(storedAs))) as AnySlice;
    // A read also reads other spellings of its keys.
    const read = new Set(slice.ids);
    const last = wanted.findLast((key) => read.has(key));
    return { slice, keys: last === wanted.at(-1) ? keys : keys.slice(0, keys.indexOf(last as string) + 1) };
  }
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
