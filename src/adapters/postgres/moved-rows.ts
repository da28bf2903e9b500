import type { AnySlice, RowKind, WebsiteHolder, WebsiteOwner } from '../../domain/model/read-model.js';

/** A row that was written or deleted. */
export interface ChangedRow {
  readonly kind: RowKind;
  readonly organizationId: string;
  readonly id: string;
  /** Null: it is of none. */
  readonly websiteId: string | null;
}

/**
 * A row that came from another organization tells that its website changed hands, also where that was never told: what its former owner
 * has of it still is hidden then, and its terms that other rows show.
 */
export function movedIn(slices: readonly AnySlice[], changes: readonly ChangedRow[]) {
  const byRow = new Map<string, ChangedRow[]>();
  for (const change of changes) {
    const row = `${change.kind} ${change.id}`;
    byRow.set(row, [...(byRow.get(row) ?? []), change]);
  }
  const owners = new Map<string, WebsiteOwner>();
  const former = new Map<string, WebsiteHolder>();
  for (const { kind, rows } of slices) {
    for (const row of rows) {
      if (!('websiteId' in row)) continue;
      const { websiteId, organizationId } = row;
      for (const before of byRow.get(`${kind} ${row.id}`) ?? []) {
        if (before.organizationId === organizationId) continue;
        owners.set(websiteId, { websiteId, organizationId });
        // Else it went to another website, by itself.
        if (before.websiteId !== websiteId) continue;
        former.set(JSON.stringify([websiteId, before.organizationId]), {
          websiteId,
          organizationId: before.organizationId,
        });
      }
    }
  }
  return { owners: [...owners.values()], former: [...former.values()] };
}
