import type { RefusedRow } from '../../../domain/model/source.js';
import { type RowSizes, refusalOfSizes } from '../../../domain/policies/row-limits.js';

/** Data that is read at once is held in memory several times. */
const READING_BYTES = 8 * 1024 * 1024;

/**
 * The requested ids, and behind the first one those of rows that the dashboard takes for requested ones: its collation may ignore case, and
 * a reference may be spelled otherwise than the id.
 */
export function withStoredSpellings(
  ids: readonly string[],
  sizes: ReadonlyMap<string, RowSizes>,
): readonly string[] {
  const requested = new Set(ids);
  const others = [...sizes.keys()].filter((id) => !requested.has(id));
  return others.length === 0 ? ids : [...ids.slice(0, 1), ...others, ...ids.slice(1)];
}

interface SplitKeys {
  /** The first keys, up to the limit for one reading. */
  readonly checked: readonly string[];
  /** Those of the keys whose rows are read. */
  readonly fitting: readonly string[];
  readonly refused: RefusedRow[];
}

export function splitBySize(ids: readonly string[], sizes: ReadonlyMap<string, RowSizes>): SplitKeys {
  const fitting: string[] = [];
  const refused: RefusedRow[] = [];
  let [bytes, checked] = [0, 0];
  for (; checked < ids.length && bytes < READING_BYTES; checked++) {
    const id = ids[checked] as string;
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
  return { checked: ids.slice(0, checked), fitting, refused };
}
