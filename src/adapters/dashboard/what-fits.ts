import type { RefusedRow } from '../../domain/model/refused-row.js';
import { type RowSizes, refusalOfSizes } from '../../domain/policies/row-limits.js';

/** Data that is read at once is held in memory several times. */
const READING_BYTES = 8 * 1024 * 1024;

interface WhatFits {
  /** The first keys, up to the limit for one reading. */
  readonly asked: readonly string[];
  /** Those of the keys whose rows are read. */
  readonly fitting: readonly string[];
  readonly refused: RefusedRow[];
}

export function whatFits(ids: readonly string[], sizes: ReadonlyMap<string, RowSizes>): WhatFits {
  const fitting: string[] = [];
  const refused: RefusedRow[] = [];
  let [bytes, asked] = [0, 0];
  for (; asked < ids.length && bytes < READING_BYTES; asked++) {
    const id = ids[asked] as string;
    const ofRow = sizes.get(id);
    // The row is gone, or a draft.
    if (ofRow === undefined) continue;
    const reason = refusalOfSizes(ofRow);
    if (reason !== null) {
      refused.push({ id, reason });
      continue;
    }
    fitting.push(id);
    for (const field in ofRow) bytes += ofRow[field] ?? 0;
  }
  return { asked: ids.slice(0, asked), fitting, refused };
}
