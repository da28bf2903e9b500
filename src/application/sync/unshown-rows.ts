import { LeadershipLost, RowRefused, SelectFails, WriteFails } from '../../domain/errors.js';
import type { JobUpdate } from '../../domain/model/job.js';
import type { AnySlice, DueRow } from '../../domain/model/read-model.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
import { MAX_UNSHOWN_ROWS, storable, storedAs, unshownRow } from '../../domain/policies/unshown-row.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import { readSlice } from './read-slice.js';
import type { UpdateReadModel } from './update-read-model.js';

/** Slow ones delay everything else. */
const OTHERS_MS = 20_000;
const OTHERS_AT_ONCE = 100;
const FEW = 3;
/** Until others are tried again. */
const FAILING_MS = 10_000;

/** What a step came to: how many rows it wrote, or why it failed. */
type Outcome = { readonly rowCount: number } | { readonly failure: unknown };

/** Sets a row aside with which a step fails that has no other. */
export class UnshownRows {
  /** When all rows of a kind failed. */
  readonly #failedAt = new Map<DueRow['kind'], number>();

  constructor(
    private readonly source: ContentSource,
    private readonly writer: ReadModelWriter,
    private readonly update: UpdateReadModel,
    /** Whether a server is unavailable: then no row is at fault. */
    private readonly isOutage: (error: unknown) => boolean,
    private readonly clock: Clock,
  ) {}

  /** Throws what ends the session. */
  requireServers(error: unknown): void {
    if (error instanceof LeadershipLost || this.isOutage(error)) throw error;
  }

  /** Whether steps with rows of this kind fail whatever the rows are. Null: no kind of rows. */
  doAllFail(kind: DueRow['kind'] | null, error: unknown): boolean {
    const failedAt = (kind && this.#failedAt.get(kind)) ?? Number.NEGATIVE_INFINITY;
    return error instanceof SelectFails || this.clock.now() - failedAt < FAILING_MS;
  }

  /**
   * Adds the row, together with the jobs that go with it. False, and nothing is written: other rows
   * fail as well, so the cause is not the row.
   */
  async add(
    epoch: number,
    row: DueRow,
    error: unknown,
    tookMs: number,
    jobs: readonly JobUpdate[],
  ): Promise<boolean> {
    const { kind, id } = row;
    // Once more by itself, where the source can name the field; but not a slow one.
    const outcome =
      error instanceof RowRefused ? await this.#try(epoch, kind, storedAs(id)) : { failure: error };
    if (!('failure' in outcome)) {
      await this.update.run(epoch, { slices: [], jobs });
      return true;
    }
    const verdict = await this.#tryOthers(epoch, row, outcome.failure);
    if (verdict === 'fail') {
      this.#failedAt.set(kind, this.clock.now());
      return false;
    }
    const isAtFault = outcome.failure instanceof RowRefused && (verdict === 'succeed' || kind === 'apiKeys');
    await this.update.run(epoch, { slices: [sliceOf(row, outcome.failure, tookMs, isAtFault)], jobs });
    return true;
  }

  /** They stay as they are in the read model. */
  async postpone(epoch: number, rows: readonly DueRow[], error: unknown, tookMs: number): Promise<void> {
    const slices = rows.map((row) => sliceOf(row, error, tookMs, false));
    await this.update.run(epoch, { slices, jobs: [] });
  }

  /** Rows that are unshown already do not count, nor do a few: a table may have no other rows. */
  async #tryOthers(
    epoch: number,
    { kind, id }: DueRow,
    failure: unknown,
  ): Promise<'succeed' | 'fail' | 'few'> {
    // Others prove nothing of a write: unchanged rows may need less of the storage.
    if (failure instanceof WriteFails || failure instanceof SelectFails) return 'fail';
    const until = this.clock.now() + OTHERS_MS;
    // A revocation may wait for the verdict.
    const max = kind === 'apiKeys' ? Number.POSITIVE_INFINITY : MAX_UNSHOWN_ROWS;
    let failures = 0;
    for await (const key of this.#otherKeys(kind, id)) {
      const outcome = await this.#try(epoch, kind, [key]);
      if ('failure' in outcome) failures++;
      else if (outcome.rowCount > 0) return 'succeed';
      if (failures >= max) return 'fail';
      if (this.clock.now() > until) return failures > 0 ? 'fail' : 'few';
    }
    return failures > FEW ? 'fail' : 'few';
  }

  async *#otherKeys(kind: DueRow['kind'], id: string): AsyncGenerator<string> {
    let keys: readonly string[] = [];
    do {
      keys = await this.#keysAfter(kind, keys.at(-1) ?? null);
      const unshown = new Set(await this.writer.unshown(kind, keys.map(storable)));
      for (const key of keys) if (storable(key) !== storable(id) && !unshown.has(storable(key))) yield key;
    } while (keys.length > 0);
  }

  /** Of the rows that are shown, if the row or all rows keep the source from reading keys. */
  async #keysAfter(kind: DueRow['kind'], after: string | null): Promise<readonly string[]> {
    try {
      return await this.source.keys(kind, { kind: 'everything' }, after, OTHERS_AT_ONCE);
    } catch (error) {
      this.requireServers(error);
      return this.writer.keys(kind, { kind: 'everything' }, after, OTHERS_AT_ONCE);
    }
  }

  async #try(epoch: number, kind: DueRow['kind'], ids: readonly string[]): Promise<Outcome> {
    try {
      const slice = (await readSlice(this.source, kind, ids)) as AnySlice;
      await this.update.run(epoch, { slices: [slice], jobs: [] });
      return { rowCount: slice.rows.length };
    } catch (failure) {
      this.requireServers(failure);
      return { failure };
    }
  }
}

/** `isAtFault`: then nothing of it is shown any more. */
function sliceOf(
  { kind, id, attempts }: DueRow,
  error: unknown,
  tookMs: number,
  isAtFault: boolean,
): AnySlice {
  const unshown = [unshownRow({ id, reason: reasonOf(error) }, attempts + 1, tookMs)];
  return { kind, ids: isAtFault ? [id] : [], rows: [], unshown };
}
