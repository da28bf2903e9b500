import type { AnySlice, RowKind, WebsiteHolder, WebsiteOwner } from '../../../domain/model/read-model.js';

/** A row that was written or deleted. */
export interface ChangedRow {
  readonly kind: RowKind;
  readonly organizationId: string;
  readonly id: string;
  /** Null: it belongs to no website. */
  readonly websiteId: string | null;
}

/**
 * A row that came from another organization shows that its website did, even unreported. What the
 * former owner still has of it is hidden then.
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
        // Otherwise only the row itself moved to another website.
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
