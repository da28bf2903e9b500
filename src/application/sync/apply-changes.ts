import { API_KEYS_AGAIN, type Change, EVERYTHING_AGAIN, type JobUpdate } from '../../domain/model/job.js';
import type { ReadModelSlice, ReadModelUpdate } from '../../domain/model/read-model.js';
import type { ChangeFeed } from '../../domain/ports/dashboard/change-feed.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { BatchSize } from './batch-size.js';
import { type FailedPieces, requestOf } from './failed-piece.js';
import { KINDS, WIDE_KINDS } from './job-stages.js';
import { readSlice } from './read-slice.js';
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
  /** Set after a failure of several kinds, to find the one that fails. */
  #isOfOneKind = false;

  constructor(
    private readonly feed: ChangeFeed,
    private readonly update: UpdateReadModel,
    private readonly failed: FailedPieces,
    private readonly clock: Clock,
    private readonly size: BatchSize,
  ) {}

  /**
   * Takes one batch, and further ones until the given time if more changes are queued. While one
   * batch is written, the next one is read and the one before is acknowledged.
   */
  async apply(epoch: number, until: number): Promise<Applied> {
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
        await this.update.write(epoch, update);
        written = [...written, ...changes.filter((change) => wasRead(change, update.slices))];
        applied += changes.length;
        if (next === null) break;
        reading = next;
      }
      if (written.length > 0) await this.feed.acknowledge(written);
      if (!batch.isSearch) this.#isOfOneKind = false;
      batch.succeeded((this.clock.now() - begin) / batches);
      return { applied, areManyWaiting, hasFailed: false };
    } catch (error) {
      const { changes } = reading.seen;
      this.failed.requireServers(error);
      if (changes.length === 0) throw error;
      if (written.length > 0) await this.feed.acknowledge(written);
      if (new Set(changes.map(({ kind }) => kind)).size > 1) {
        this.#isOfOneKind = true;
        batch.succeeded(0);
      } else if (await this.#isSettled(epoch, changes, error, this.clock.now() - begin)) batch.succeeded(0);
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
        const next = changes.filter(({ id }) => !skipped.has(id)).slice(0, rows);
        seen.changes = this.#isOfOneKind ? next.filter(({ kind }) => kind === next[0]?.kind) : next;
        seen.areMoreWaiting = changes.length === limit;
        return updateFor(seen.changes, source);
      });
    };
    const update = acknowledgeAndRead();
    // A later `await` reports the error. If the write before fails, no one awaits this promise.
    update.catch(() => {});
    return { seen, update };
  }

  async #isSettled(
    epoch: number,
    changes: readonly Change[],
    error: unknown,
    tookMs: number,
  ): Promise<boolean> {
    const kind = KINDS.find((candidate) => candidate === changes[0]?.kind) ?? null;
    const keys = kind === null ? [] : keysOf(changes, kind);
    const rows = keys.map((id) => ({ id, attempts: 0 }));
    const size = kind === null ? changes.length : rows.length;
    const jobsOfRow = wideJobsFor(changes);
    const jobsOfKind = [...jobsOfRow, ...requestOf(kind)];
    const piece = { kind, rows, size, isCaptured: true, jobsOfRow, jobsOfKind };
    const isFailing = this.failed.isFailing(kind);
    if ((await this.failed.settle(epoch, piece, error, tookMs, isFailing)) === 'halve') return false;
    await this.feed.acknowledge(changes);
    return true;
  }
}

async function updateFor(changes: readonly Change[], source: ContentSource): Promise<ReadModelUpdate> {
  const slices: ReadModelSlice[] = [];
  for (const kind of KINDS) {
    const keys = keysOf(changes, kind);
    if (keys.length > 0) slices.push(await readSlice(source, kind, keys));
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
function wasRead({ kind, key }: Change, slices: readonly ReadModelSlice[]): boolean {
  const slice = slices.find((candidate) => candidate.kind === kind);
  return slice === undefined || key === null || slice.ids.includes(key);
}
