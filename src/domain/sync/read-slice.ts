import type { ReadModelSlice, RowKind, RowTypes } from '../model/read-model.js';
import type { RefusedRow } from '../model/refused-row.js';
import { refusalOf } from '../policies/row-limits.js';
import type { ContentSource } from '../ports/content-source.js';
import { projections } from './projection.js';

/** What the read model shall hold of these keys, or of the first of them, by what the source holds. */
export async function readSlice<Kind extends RowKind>(
  source: ContentSource,
  kind: Kind,
  keys: readonly string[],
): Promise<ReadModelSlice<Kind>> {
  const reading = await source.read(kind, keys);
  const rows: RowTypes[Kind][] = [];
  const refused: RefusedRow[] = [...reading.refused];
  for (const each of reading.rows) {
    const row = projections[kind](each);
    if (row === null) continue;
    const reason = refusalOf(kind, row);
    if (reason === null) rows.push(row);
    else refused.push({ id: row.id, reason });
  }
  return { kind, ids: reading.ids, rows, refused };
}
