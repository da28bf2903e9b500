import type { RowKind } from '../model/read-model.js';
import type { UpdateReadModel } from './update-read-model.js';

interface Reading<Rows> {
  readonly place: string;
  readonly kind: RowKind;
  readonly writes: number;
  readonly rows: Promise<Rows>;
}

/**
 * Reads the next rows of a walk while the current ones are written. What was read ahead is discarded in two cases, unless it is only
 * compared. Another write to rows of this kind may have written newer ones. A change of a website's owner hides the rows of the former
 * owner, but not those that are written afterwards.
 */
export class ReadAhead<Rows> {
  #reading: Reading<Rows> | null = null;

  constructor(
    private readonly update: UpdateReadModel,
    private readonly isOnlyCompared: (rows: Rows) => boolean,
  ) {}

  /** Call this before the current rows are written. `hasRows`: whether that write has rows of this kind. */
  begin(place: string, kind: RowKind, rows: Promise<Rows>, hasRows: boolean): void {
    // `take` reports the error, but it may never be called.
    rows.catch(() => {});
    this.#reading = { place, kind, writes: this.update.timesWritten(kind) + (hasRows ? 1 : 0), rows };
  }

  /** Null: the rows have to be read. */
  async take(place: string): Promise<Rows | null> {
    const reading = this.#reading;
    this.#reading = null;
    if (reading?.place !== place) return null;
    const rows = await reading.rows;
    return reading.writes === this.update.timesWritten(reading.kind) || this.isOnlyCompared(rows)
      ? rows
      : null;
  }
}
