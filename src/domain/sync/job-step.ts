import type { Job, JobProgress, JobUpdate, RowsScope, WalkedScope } from '../model/job.js';
import type { AnySlice, ReadModelUpdate, RowKind, WebsiteOwner } from '../model/read-model.js';
import { shortened, storable, storedAs } from '../policies/row-limits.js';
import type { ContentSource } from '../ports/dashboard/content-source.js';
import type { ReadModelWriter } from '../ports/sync/read-model-writer.js';
import { BEGINNING, nextStage, stageOf } from './job-stages.js';
import { readSlice } from './read-slice.js';
import type { UpdateReadModel } from './update-read-model.js';

/** Counting the lists of an organization takes as long as this many rows. */
const ROWS_PER_ORGANIZATION = 10;

/** A step that only reads keys handles this many keys per row. */
const KEYS_PER_ROW = 8;

/** The result of one step of a walk. */
interface Walked {
  readonly slice: AnySlice | null;
  /** In the order of the walk. Empty: the walk is over. */
  readonly keys: readonly string[];
}

const END: Walked = { slice: null, keys: [] };

interface Ahead {
  readonly kind: RowKind;
  readonly after: string;
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
  ) {}

  /** Returns the number of changed rows. If `isCurrent` denies it, what was read is not written. */
  async run(
    epoch: number,
    job: Job,
    source: ContentSource,
    size: number,
    isCurrent: () => Promise<boolean>,
  ): Promise<number> {
    // The change of a website may have failed before it hid anything.
    const isHiddenFirst = job.scope.kind === 'websites' && job.progress === null;
    const update = isHiddenFirst ? startOf(job) : await this.#updateFor(job, source, size);
    const owners = await this.#ownersFor(job, source);
    if (!(await isCurrent())) return 0;
    return (await this.update.run(epoch, { ...update, owners })).changedRows;
  }

  /** Creates a job for the next rows, or skips the next totals. False: there are none. */
  async skipRows(
    epoch: number,
    { id, scope, progress: begun }: Job,
    source: ContentSource,
    count: number,
  ): Promise<boolean> {
    const progress = begun ?? BEGINNING;
    const stage = scope.kind === 'rows' ? null : stageOf(scope, progress.stage);
    if (scope.kind === 'rows' || stage === null) return false;
    if (stage.walks === 'totals') {
      const next = await this.writer.nextOrganizations(progress.after, 1);
      await this.update.run(epoch, { slices: [], jobs: [advancePast(id, progress, next)] });
      return true;
    }
    const { kind, walks } = stage;
    const keys =
      walks === 'source'
        ? await source.keys(kind, scope, progress.after, count)
        : await this.writer.keys(kind, progress.after, count);
    if (keys.length === 0) return false;
    const rows: JobUpdate = { kind: 'add', scope: { kind: 'rows', rowKind: kind, keys } };
    await this.update.run(epoch, { slices: [], jobs: [advancePast(id, progress, keys), rows] });
    return true;
  }

  async #updateFor(job: Job, source: ContentSource, size: number): Promise<ReadModelUpdate> {
    const { id, scope } = job;
    if (scope.kind === 'rows') return rowsUpdate(id, scope, source);
    const progress = job.progress ?? BEGINNING;
    const stage = stageOf(scope, progress.stage);
    if (stage === null) return { slices: [], jobs: [{ kind: 'finish', id }] };
    if (stage.walks === 'totals') return nextTotals(this.writer, id, progress, size);
    const { slice, keys } =
      stage.walks === 'source'
        ? await this.#nextOfSource(stage.kind, source, scope, progress, size)
        : await this.#nextOfReadModel(stage.kind, source, progress, size);
    const isCounted = scope.kind === 'everything' && stage.walks === 'source';
    const total = progress.total ?? (isCounted && keys.length > 0 ? await source.count(stage.kind) : null);
    return { slices: slice === null ? [] : [slice], jobs: [advancePast(id, { ...progress, total }, keys)] };
  }

  /**
   * A failover may lose the change for which rows were hidden, so a walk over everything reads the
   * owners first.
   */
  async #ownersFor({ scope, progress }: Job, source: ContentSource): Promise<readonly WebsiteOwner[]> {
    if (progress !== null) return [];
    if (scope.kind === 'websites') return source.owners(scope.keys);
    if (scope.kind !== 'everything' && scope.kind !== 'check') return [];
    const hidden = await this.writer.hiddenWebsites();
    return hidden.length === 0 ? [] : source.owners(hidden);
  }

  /** While the rows of a step of a rebuild are written, those of the next one are read. */
  async #nextOfSource(
    kind: RowKind,
    source: ContentSource,
    scope: WalkedScope,
    { after }: JobProgress,
    size: number,
  ): Promise<Walked> {
    const ahead = this.#ahead;
    this.#ahead = null;
    // Another write may have written newer rows since.
    const isNext = ahead?.kind === kind && ahead.after === after && ahead.writes === this.update.writes;
    const next = await (isNext ? ahead.rows : readNext(kind, source, scope, after, size));
    // A check writes only what is still current after it was read.
    const last = next.keys.at(-1);
    if (scope.kind !== 'everything' || last === undefined) return next;
    const rows = readNext(kind, source, scope, last, size);
    // Reported by the step that takes them.
    rows.catch(() => {});
    this.#ahead = { kind, after: last, writes: this.update.writes + 1, rows };
    return next;
  }

  async #nextOfReadModel(
    kind: RowKind,
    source: ContentSource,
    { after }: JobProgress,
    size: number,
  ): Promise<Walked> {
    const keys = await this.writer.keys(kind, after, size * KEYS_PER_ROW);
    if (keys.length === 0) return END;
    const existing = new Set((await source.existing(kind, keys.flatMap(storedAs))).map(storable));
    const deleted = keys.filter((key) => !existing.has(key));
    const slice = deleted.length === 0 ? null : ({ kind, ids: deleted, rows: [], refused: [] } as AnySlice);
    return { slice, keys };
  }
}

async function readNext(
  kind: RowKind,
  source: ContentSource,
  scope: WalkedScope,
  after: string | null,
  size: number,
): Promise<Walked> {
  const keys = await source.keys(kind, scope, after, size);
  if (keys.length === 0) return END;
  const slice = (await readSlice(source, kind, keys)) as AnySlice;
  // The rows may be too large for one read, which also reads other spellings of its keys.
  const read = new Set(slice.ids);
  const walked = keys.slice(0, keys.findLastIndex((key) => read.has(key)) + 1);
  return { slice, keys: walked };
}

async function rowsUpdate(
  id: number,
  { rowKind: kind, keys }: RowsScope,
  source: ContentSource,
): Promise<ReadModelUpdate> {
  const slice = (await readSlice(source, kind, keys)) as AnySlice;
  const read = new Set(slice.ids);
  const remainingKeys = keys.filter((key) => !read.has(key));
  const jobs: JobUpdate[] = [{ kind: 'finish', id }];
  if (remainingKeys.length > 0)
    jobs.push({ kind: 'add', scope: { kind: 'rows', rowKind: kind, keys: remainingKeys } });
  return { slices: [slice], jobs };
}

function startOf({ id }: Job): ReadModelUpdate {
  return { slices: [], jobs: [{ kind: 'advance', id, progress: BEGINNING }] };
}

async function nextTotals(
  writer: ReadModelWriter,
  id: number,
  progress: JobProgress,
  size: number,
): Promise<ReadModelUpdate> {
  const next = await writer.nextOrganizations(progress.after, Math.ceil(size / ROWS_PER_ORGANIZATION));
  return { slices: [], recount: next, jobs: [advancePast(id, progress, next)] };
}

/** No walk goes back: each step ends at a key that follows the one before. */
function advancePast(id: number, progress: JobProgress, keys: readonly string[]): JobUpdate {
  const after = keys.at(-1);
  if (after === undefined) return { kind: 'advance', id, progress: nextStage(progress) };
  if (progress.after !== null && keys.includes(progress.after))
    throw new Error(`The walk goes back: ${shortened(progress.after)} would be read again`);
  return { kind: 'advance', id, progress: { ...progress, after, done: progress.done + keys.length } };
}
