import type { ReadModelSlice, RowKind, RowTypes } from '../../domain/model/read-model.js';
import type { RefusedRow } from '../../domain/model/source.js';
import { projections } from '../../domain/policies/projection.js';
import { refusalOf, shortened } from '../../domain/policies/row-refusal.js';
import type { ContentSource } from '../../domain/ports/dashboard/content-source.js';
import { unshownRow } from './unshown-row.js';

/** The rows that the read model must have for these keys, or for the first of them. */
export async function readSlice<Kind extends RowKind>(
  source: ContentSource,
  kind: Kind,
  keys: readonly string[],
): Promise<ReadModelSlice<Kind>> {
  const reading = await source.read(kind, keys);
  const [first] = keys;
  if (first !== undefined && !reading.ids.includes(first))
    throw new Error(`A read of ${kind} returned nothing of its first key: ${shortened(first)}`);
  const rows: RowTypes[Kind][] = [];
  const refused: RefusedRow[] = [...reading.refused];
  for (const sourceRow of reading.rows) {
    const row = projections[kind](sourceRow);
    if (row === null) continue;
    const reason = refusalOf(kind, row);
    if (reason === null) rows.push(row);
    else refused.push({ id: row.id, reason });
  }
  return { kind, ids: reading.ids, rows, unshown: refused.map((row) => unshownRow(row)) };
}
