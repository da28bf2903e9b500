import type { JobProgress, WalkedScope } from '../model/job.js';
import type { RowKind } from '../model/read-model.js';
import type { ContentSource } from '../ports/content-source.js';
import type { ReadModelWriter } from '../ports/read-model-writer.js';
import type { UpdateReadModel } from './update-read-model.js';
import {
  type Digested,
  isOnlyCompared,
  readDiffering,
  stretchAfter,
  type Walked,
  walkSource,
} from './walk-source.js';

interface Reading<Rows> {
  readonly place: string;
  readonly kind: RowKind;
  readonly writes: number;
  readonly rows: Promise<Rows>;
}

/** The next rows of a walk are read while the previous ones are compared or written. */
export class SourceWalk {
  readonly #ahead: ReadAhead<Walked | Digested>;
  /** More rows differ than one step reads whole, so the next position is not known yet. */
  #differMuch = false;

  constructor(
    private readonly writer: ReadModelWriter,
    update: UpdateReadModel,
  ) {
    this.#ahead = new ReadAhead(update, isOnlyCompared);
  }

  async next(
    id: number,
    scope: WalkedScope,
    kind: RowKind,
    source: ContentSource,
    progress: JobProgress,
    size: number,
  ): Promise<Walked> {
    const walk = async (after: string | null) =>
      walkSource(source, scope, kind, after, await stretchAfter(this.writer, scope, kind, after, size));
    const readAhead = async (after: string | null, hasRows: boolean) => {
      // If the source is a single snapshot, the next rows come from a later one.
      if (after === null || scope.of === 'check') return;
      // Queried now, because the read model is busy while rows are compared or written.
      const stretch = await stretchAfter(this.writer, scope, kind, after, size);
      const rows = walkSource(source, scope, kind, after, stretch);
      this.#ahead.begin(placeOf(id, { ...progress, after }, size), kind, rows, hasRows);
    };
    const next = (await this.#ahead.take(placeOf(id, progress, size))) ?? (await walk(progress.after));
    if (!isOnlyCompared(next)) {
      await readAhead(next.last, next.slice !== null);
      return next;
    }
    const end = next.digested.ids.at(-1) ?? null;
    if (!this.#differMuch) await readAhead(end, false);
    const walked = await readDiffering(next, source, this.writer, size);
    this.#differMuch = walked.last !== end;
    if (this.#differMuch) await readAhead(walked.last, walked.slice !== null);
    return walked;
  }
}

function placeOf(id: number, { stage, after }: JobProgress, size: number): string {
  return JSON.stringify([id, stage, after, size]);
}

/**
 * Reads the next rows of a walk ahead. They are discarded if another write may have written newer
 * ones, or a website got another owner.
 */
class ReadAhead<Rows> {
  #reading: Reading<Rows> | null = null;

  constructor(
    private readonly update: UpdateReadModel,
    private readonly isOnlyCompared: (rows: Rows) => boolean,
  ) {}

  /** Before the current rows are written. `hasRows`: whether that write has rows of this kind. */
  begin(position: string, kind: RowKind, rows: Promise<Rows>, hasRows: boolean): void {
    // `take` reports the error, but it may never be called.
    rows.catch(() => {});
    this.#reading = {
      place: position,
      kind,
      writes: this.update.timesWritten(kind) + (hasRows ? 1 : 0),
      rows,
    };
  }

  /** Null: the rows have to be read. */
  async take(position: string): Promise<Rows | null> {
    const reading = this.#reading;
    this.#reading = null;
    if (reading?.place !== position) return null;
    const rows = await reading.rows;
    return reading.writes === this.update.timesWritten(reading.kind) || this.isOnlyCompared(rows)
      ? rows
      : null;
  }
}
