import type { DueRow, ReadModelSlice, RowKind, UnshownRow } from '../../domain/model/read-model.js';
import type { Clock } from '../../domain/ports/system/clock.js';

interface Stored extends UnshownRow {
  readonly kind: RowKind;
  readonly dueAt: number;
}

/** The rows that the in-memory read model does not show. */
export class MemoryUnshownRows {
  #rows: readonly Stored[] = [];

  constructor(private readonly clock: Clock) {}

  /** Returns how many rows are not unshown any more. */
  replace({ kind, ids, unshown }: ReadModelSlice): number {
    const before = this.#rows.length;
    const replaced = new Set([...ids, ...unshown.map(({ id }) => id)]);
    const remaining = this.#rows.filter((row) => row.kind !== kind || !replaced.has(row.id));
    const now = this.clock.now();
    const added = unshown.map((row) => ({ ...row, kind, dueAt: now + row.retryAfterMs }));
    this.#rows = [...remaining, ...added];
    return Math.max(0, before - this.#rows.length);
  }

  retry(): void {
    this.#rows = this.#rows.map((row) => ({ ...row, dueAt: Number.NEGATIVE_INFINITY }));
  }

  of(kind: RowKind): readonly UnshownRow[] {
    return this.#rows.filter((row) => row.kind === kind);
  }

  due(limit: number): readonly DueRow[] {
    const now = this.clock.now();
    return this.#rows
      .filter(({ dueAt }) => dueAt <= now)
      .toSorted((a, b) => a.dueAt - b.dueAt)
      .slice(0, limit)
      .map(({ kind, id, attempts }) => ({ kind, id, attempts }));
  }
}
