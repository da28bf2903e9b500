import { type Fault, KindFails, LeadershipLost } from '../../domain/errors.js';
import { allAgain, type JobUpdate } from '../../domain/model/job.js';
import type { ReadModelSlice, RowKind } from '../../domain/model/read-model.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { Metrics } from '../../domain/ports/system/metrics.js';
import { readSlice } from './read-slice.js';
import { storable, storedAs, unshownRow } from './unshown-row.js';
import type { UpdateReadModel } from './update-read-model.js';

/** `attempts`: the failed ones of a row that is unshown already. */
export interface PieceRow {
  readonly id: string;
  readonly attempts: number;
}

/** What of a step has failed. */
export interface Piece {
  /** Null: no kind of rows. */
  readonly kind: RowKind | null;
  readonly rows: readonly PieceRow[];
  /** How many there are, if their keys could not be read either. */
  readonly size: number;
  /** Whether a change of each of the rows was captured, which may have taken it down. */
  readonly isCaptured: boolean;
  /** Jobs that are written together with the row that is set aside. */
  readonly jobsOfRow: readonly JobUpdate[];
  /** Jobs that are written instead if the kind fails. */
  readonly jobsOfKind: readonly JobUpdate[];
}

/**
 * What becomes of a piece: it is halved until a row is alone; all of its kind stays as it is, and
 * is requested again; or its row is set aside.
 */
export type Verdict = 'halve' | 'kind' | 'row';

/** `canReadAnother`: whether another row of the kind can be read. It is called at most once. */
export async function verdictOn(
  fault: Exclude<Fault, 'outage'>,
  { kind, size, rows }: Pick<Piece, 'kind' | 'size' | 'rows'>,
  isKnownToFail: boolean,
  canReadAnother: (row: PieceRow) => Promise<boolean>,
): Promise<Verdict> {
  if (fault === 'kind' || isKnownToFail) return 'kind';
  if (size > 1) return 'halve';
  const [row] = rows;
  if (row === undefined) return 'kind';
  return kind === null || (await canReadAnother(row)) ? 'row' : 'kind';
}

/**
 * What fails as a whole, for as long as it does, and the rows of it that were changed meanwhile.
 * Outlasts the session of a worker.
 */
export type FailingKinds = Map<string, Set<string>>;
const MAX_CHANGED = 10_000;

const CANDIDATES = 100;

/** Settles what has failed. */
export class FailedPieces {
  readonly #candidates = new Map<RowKind, string | null>();

  constructor(
    private readonly source: ContentSource,
    private readonly writer: ReadModelWriter,
    private readonly update: UpdateReadModel,
    /** Whether a server is unavailable: then no row is at fault. */
    private readonly isOutage: (error: unknown) => boolean,
    private readonly failing: FailingKinds,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  /** Throws what ends the session. */
  requireServers(error: unknown): void {
    if (error instanceof LeadershipLost || this.isOutage(error)) throw error;
  }

  /** Whether all of a kind failed when it was last tried. */
  isFailing(kind: RowKind | null): boolean {
    return kind !== null && this.failing.has(kind);
  }

  /** Called when all of a kind, or all websites and lists, could be read. */
  noteRead(what: string): void {
    if (this.failing.delete(what)) this.log.info('syncing: can be read again', { what });
  }

  /** Does what the verdict says, in one transaction. */
  async settle(
    epoch: number,
    piece: Piece,
    error: unknown,
    tookMs: number,
    isKnownToFail: boolean,
  ): Promise<Verdict> {
    this.requireServers(error);
    this.metrics.count('job-failed');
    const { kind, rows, jobsOfRow, jobsOfKind } = piece;
    const changed = kind === null ? undefined : this.failing.get(kind);
    const isCaptured = piece.isCaptured || rows.some(({ id }) => changed?.has(id));
    const fault = error instanceof KindFails ? 'kind' : 'row';
    const verdict = await verdictOn(fault, piece, isKnownToFail, (row) =>
      this.#canReadAnother(epoch, kind as RowKind, row.id),
    );
    this.log.debug('syncing: a piece failed', { error, kind, rows: piece.size, verdict });
    if (verdict === 'row') {
      const slices = kind === null ? [] : [sliceOf(kind, rows, error, tookMs, isCaptured)];
      await this.update.write(epoch, { slices, jobs: jobsOfRow });
    } else if (verdict === 'kind') {
      this.#noteFailing(kind, error, isCaptured ? rows : []);
      const slices = kind === null ? [] : slicesOfKind(kind, piece, error, tookMs);
      await this.update.write(epoch, { slices, jobs: jobsOfKind });
    }
    return verdict;
  }

  /** `changed`: may have been taken down, and are hidden if only they cannot be read in the end. */
  #noteFailing(kind: RowKind | null, error: unknown, changed: readonly PieceRow[]): void {
    const what = kind ?? 'websites and lists';
    if (!this.failing.has(what)) {
      const details = { what, reason: reasonOf(error), error };
      this.log.error('syncing: fails as a whole, stays as it is, and is tried again', details);
    }
    const ids = this.failing.get(what) ?? new Set();
    for (const { id } of changed) if (ids.size < MAX_CHANGED) ids.add(id);
    this.failing.set(what, ids);
  }

  /** Reads a row that could be read before, as a step would, and only once. */
  async #canReadAnother(epoch: number, kind: RowKind, id: string): Promise<boolean> {
    try {
      const another = await this.#another(kind, id);
      if (another === null) return true;
      const slice = await readSlice(this.source, kind, storedAs(another));
      await this.update.write(epoch, { slices: [slice], jobs: [] });
      if (slice.rows.length > 0) return true;
    } catch (error) {
      this.requireServers(error);
    }
    // Also a draft, which proves nothing.
    this.update.forgetShown(kind);
    return false;
  }

  /** Null: there is none. */
  async #another(kind: RowKind, id: string): Promise<string | null> {
    const last = this.update.lastShown(kind);
    if (last !== null && last !== storable(id)) return last;
    const row = await this.writer.anotherRow(kind, storable(id));
    if (row !== null) return row;
    // No row is shown yet. Each call tries a different key: the first may all fail, or be drafts.
    const keysAfter = (after: string | null) =>
      this.source.keys(kind, { kind: 'everything' }, after, CANDIDATES);
    const next = await keysAfter(this.#candidates.get(kind) ?? null);
    const keys = next.length > 0 ? next : await keysAfter(null);
    const unshown = new Set(await this.writer.unshown(kind, keys.map(storable)));
    const another = keys.findLast((key) => storable(key) !== storable(id) && !unshown.has(storable(key)));
    this.#candidates.set(kind, another ?? null);
    return another ?? null;
  }
}

/** Rows that are set aside. `isHidden`: they may have been taken down. */
function sliceOf(
  kind: RowKind,
  rows: readonly PieceRow[],
  error: unknown,
  tookMs: number,
  isHidden: boolean,
): ReadModelSlice {
  const unshown = rows.map(({ id, attempts }) =>
    unshownRow({ id, reason: reasonOf(error) }, attempts + 1, tookMs),
  );
  return { kind, ids: isHidden ? rows.map(({ id }) => id) : [], rows: [], unshown };
}

/** Rows stay as they are, but a key that may be revoked is refused. */
function slicesOfKind(kind: RowKind, { rows, isCaptured }: Piece, error: unknown, tookMs: number) {
  const isHidden = isCaptured && kind === 'apiKeys';
  const unshown = rows.filter(({ attempts }) => isHidden || attempts > 0);
  return unshown.length === 0 ? [] : [sliceOf(kind, unshown, error, tookMs, isHidden)];
}

/** What a piece of changes or unshown rows becomes if its kind fails. */
export function requestOf(kind: RowKind | null): readonly JobUpdate[] {
  return kind === null ? [] : [allAgain(kind)];
}
