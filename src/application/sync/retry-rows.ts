import type { DueRow } from '../../domain/model/read-model.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import type { ReadModelWriter } from '../../domain/ports/sync/read-model-writer.js';
import type { Clock } from '../../domain/ports/system/clock.js';
import type { BatchSize } from './batch-size.js';
import { type FailedPieces, requestOf } from './failed-piece.js';
import { readSlice } from './read-slice.js';
import { storable, storedAs, unshownRow } from './unshown-row.js';
import type { UpdateReadModel } from './update-read-model.js';

const ROWS = 100;
const ASK_EVERY_MS = 1_000;

/** Tries unshown rows again whose wait is over. */
export class RetryRows {
  #askAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly writer: ReadModelWriter,
    private readonly source: ContentSource,
    private readonly update: UpdateReadModel,
    private readonly failed: FailedPieces,
    private readonly clock: Clock,
    private readonly size: BatchSize,
  ) {}

  /** Runs one step. False: no row is due. */
  async retry(epoch: number, targetMs: number): Promise<boolean> {
    const begin = this.clock.now();
    if (begin < this.#askAt) return false;
    const due = await this.writer.dueRows(ROWS);
    const [first] = due;
    if (first === undefined) {
      this.#askAt = begin + ASK_EVERY_MS;
      return false;
    }
    const batch = this.size.begin(`unshown ${first.kind}`, ROWS, targetMs);
    const rows = due.filter(({ kind }) => kind === first.kind).slice(0, batch.rows);
    try {
      await this.#write(epoch, rows);
    } catch (error) {
      const size = rows.length;
      const jobsOfKind = requestOf(first.kind);
      const piece = { kind: first.kind, rows, size, isCaptured: false, jobsOfRow: [], jobsOfKind };
      const isFailing = this.failed.isFailing(first.kind);
      const tookMs = this.clock.now() - begin;
      // A row that fails has others wait.
      this.#askAt = begin + tookMs + ASK_EVERY_MS;
      if ((await this.failed.settle(epoch, piece, error, tookMs, isFailing)) === 'halve') {
        batch.failed(size);
        return true;
      }
    }
    batch.succeeded(this.clock.now() - begin);
    return true;
  }

  async #write(epoch: number, rows: readonly DueRow[]): Promise<void> {
    const [{ kind }] = rows as [DueRow];
    const attempts = new Map(rows.map((row) => [row.id, row.attempts]));
    const slice = await readSlice(
      this.source,
      kind,
      rows.flatMap(({ id }) => storedAs(id)),
    );
    const unshown = slice.unshown.map((row) => unshownRow(row, (attempts.get(storable(row.id)) ?? 0) + 1));
    await this.update.write(epoch, { slices: [{ ...slice, unshown }], jobs: [] });
  }
}
