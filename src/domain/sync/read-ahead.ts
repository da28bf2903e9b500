import type { RowKind } from '../model/read-model.js';
import type { UpdateReadModel } from './update-read-model.js';

interface Reading<Rows> {
  readonly place: string;
  readonly kind: RowKind;
  readonly writes: number;
  readonly rows: Promise<Rows>;
}

/**
 * Reads what a walk comes to next, while what it has read is written. Whatever else writes rows of that kind meanwhile may have written newer
 * ones; and where a website changes hands, what its former owner has of it is hidden, but not what is written afterwards. What was read ahead
 * is not used then, unless it is only compared.
 */
export class ReadAhead<Rows> {
  #reading: Reading<Rows> | null = null;

  constructor(
    private readonly update: UpdateReadModel,
    private readonly isOnlyCompared: (rows: Rows) => boolean,
  ) {}

  /** Before the write that belongs before it, whether that has rows of this kind or none. */
  begin(place: string, kind: RowKind, rows: Promise<Rows>, hasRows: boolean): void {
    // Whoever takes it is told; nobody may.
    rows.catch(() => {});
    this.#reading = { place, kind, writes: this.update.timesWritten(kind) + (hasRows ? 1 : 0), rows };
  }

  /** Null: it has to be read. */
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
