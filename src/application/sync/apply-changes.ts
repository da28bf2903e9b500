import { API_KEYS_AGAIN, type Change, EVERYTHING_AGAIN, type JobUpdate } from '../../domain/model/job.js';
import type { AnySlice, DueRow, ReadModelUpdate } from '../../domain/model/read-model.js';
import type { ChangeFeed } from '../../domain/ports/dashboard/change-feed.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { Metrics } from '../../domain/ports/system/metrics.js';
import type { BatchSize } from './batch-size.js';
import { KINDS, WIDE_KINDS } from './job-stages.js';
import { readSlice } from './read-slice.js';
import type { UnshownRows } from './unshown-rows.js';
import type { UpdateReadModel } from './update-read-model.js';

/** A large batch costs less per row, and a revocation waits for one or two of them. */
const BATCH = 1_000;
const BATCH_MS = 1_000;

/** Queued changes, and their rows in the same snapshot. */
interface Reading {
  readonly seen: { changes: readonly Change[]; areMoreWaiting: boolean };
  readonly update: Promise<ReadModelUpdate>;
}

export interface Applied {
  /** The number of changes. */
  readonly applied: number;
  /** Whether the time has passed while more than a batch waits. */
  readonly areManyWaiting: boolean;
  /** Whether the next batch has fewer changes because this one failed. */
  readonly hasFailed: boolean;
}

/**
 * Takes the next changes, writes their rows as they are now, and then acknowledges them. Jobs for
 * other rows that they affect are added in the same transaction.
 */
export class ApplyChanges {
  constructor(
    private readonly feed: ChangeFeed,
    private readonly update: UpdateReadModel,
    private readonly unshown: UnshownRows,
    private readonly metrics: Metrics,
    private readonly log: Log,
    private readonly clock: Clock,
    private readonly size: BatchSize,
  ) {}

  /**
   * Takes one batch, and further ones until the given time if more changes are queued. While one
   * batch is written, the next one is read and the one before is acknowledged.
   */
  async run(epoch: number, until: number): Promise<Applied> {
    const begin = this.clock.now();
    const batch = this.size.begin('changes', BATCH, BATCH_MS);
    let batches = 0;
    let applied = 0;
    let areManyWaiting = false;
    let written: readonly Change[] = [];
    let reading = this.#readNext(batch.rows, [], written);
    try {
      for (;;) {
        const update = await reading.update;
        const { changes, areMoreWaiting } = reading.seen;
        batches++;
        areManyWaiting = areMoreWaiting;
        if (changes.length === 0) break;
        const isNextRead = areMoreWaiting && this.clock.now() < until;
        const next = isNextRead ? this.#readNext(batch.rows, changes, written) : null;
        if (next !== null) written = [];
        await this.update.run(epoch, update);
        written = [...written, ...changes.filter((change) => wasRead(change, update.slices))];
        applied += changes.length;
        if (next === null) break;
        reading = next;
      }
      if (written.length > 0) await this.feed.acknowledge(written);
      batch.succeeded((this.clock.now() - begin) / batches);
      return { applied, areManyWaiting, hasFailed: false };
    } catch (error) {
      const { changes } = reading.seen;
      this.unshown.requireServers(error);
      if (changes.length === 0) throw error;
      if (await this.#areSetAside(epoch, changes, error, this.clock.now() - begin)) batch.succeeded(0);
      else batch.failed(changes.length);
      return { applied: applied + changes.length, areManyWaiting, hasFailed: true };
    }
  }

  /** Acknowledges what is written, and skips the changes that are being written. */
  #readNext(rows: number, beingWritten: readonly Change[], written: readonly Change[]): Reading {
    const limit = beingWritten.length + rows;
    const skipped = new Set(beingWritten.map(({ id }) => id));
    const seen: Reading['seen'] = { changes: [], areMoreWaiting: false };
    const acknowledgeAndRead = async () => {
      if (written.length > 0) await this.feed.acknowledge(written);
      return this.feed.read(limit, (changes, source) => {
        seen.changes = changes.filter(({ id }) => !skipped.has(id)).slice(0, rows);
        seen.areMoreWaiting = changes.length === limit;
        return updateFor(seen.changes, source);
      });
    };
    const update = acknowledgeAndRead();
    // A later `await` reports the error. If the write before fails, no one awaits this promise.
    update.catch(() => {});
    return { seen, update };
  }

  /** Each failure halves the next batch, until a change that always fails is alone. */
  async #areSetAside(
    epoch: number,
    seen: readonly Change[],
    error: unknown,
    tookMs: number,
  ): Promise<boolean> {
    this.metrics.count('job-failed');
    const details = { error, changes: seen.length, kind: seen[0]?.kind };
    this.log.error('syncing: applying a batch failed', details);
    const rows = seen.map(rowOf);
    const doAllFail = rows.every((row) => this.unshown.doAllFail(row?.kind ?? null, error));
    if (seen.length > 1 && !doAllFail) return false;
    const [row] = rows;
    const jobs = wideJobsFor(seen);
    // All rows are read again once they can be: until then, the job fails.
    if (doAllFail || !row || !(await this.unshown.add(epoch, row, error, tookMs, jobs)))
      await this.update.run(epoch, { slices: [], jobs: [...jobs, ...allRowsOf(seen)] });
    await this.feed.acknowledge(seen);
    return true;
  }
}

/** Null: the change is not of a row of the read model. */
function rowOf({ kind, key }: Change): DueRow | null {
  const rowKind = KINDS.find((candidate) => candidate === kind);
  return rowKind === undefined || key === null ? null : { kind: rowKind, id: key, attempts: 0 };
}

function allRowsOf(changes: readonly Change[]): readonly JobUpdate[] {
  const rows = changes.flatMap((change) => rowOf(change) ?? []);
  const hasOthers = rows.some(({ kind }) => kind !== 'apiKeys');
  const hasKeys = rows.some(({ kind }) => kind === 'apiKeys');
  return [...(hasKeys ? [API_KEYS_AGAIN] : []), ...(hasOthers ? [EVERYTHING_AGAIN] : [])];
}

async function updateFor(changes: readonly Change[], source: ContentSource): Promise<ReadModelUpdate> {
  const slices: AnySlice[] = [];
  for (const kind of KINDS) {
    const keys = keysOf(changes, kind);
    if (keys.length > 0) slices.push((await readSlice(source, kind, keys)) as AnySlice);
  }
  const websites = keysOf(changes, 'websites');
  const owners = websites.length === 0 ? [] : await source.owners(websites);
  return { slices, owners, jobs: wideJobsFor(changes) };
}

/** Jobs for the other rows that the changes affect. */
function wideJobsFor(changes: readonly Change[]): JobUpdate[] {
  const jobs: JobUpdate[] = [];
  for (const kind of WIDE_KINDS) {
    const keys = keysOf(changes, kind);
    if (keys.length > 0) jobs.push({ kind: 'add', scope: { kind, keys } });
  }
  if (changes.some(({ key }) => key === null)) jobs.push(API_KEYS_AGAIN);
  if (changes.some(({ kind }) => kind === 'everything')) jobs.push(EVERYTHING_AGAIN);
  return jobs;
}

function keysOf(changes: readonly Change[], kind: Change['kind']): readonly string[] {
  const ofKind = changes.flatMap((change) =>
    change.kind === kind && change.key !== null ? [change.key] : [],
  );
  return [...new Set(ofKind)];
}

/** Whether the row of the change was read: too large ones are left for the next batch. */
function wasRead({ kind, key }: Change, slices: readonly AnySlice[]): boolean {
  const slice = slices.find((candidate) => candidate.kind === kind);
  return slice === undefined || key === null || slice.ids.includes(key);
}
