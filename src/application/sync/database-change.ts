import { ALL_AGAIN } from '../../domain/model/job.js';
import type { ReadModelUpdate } from '../../domain/model/read-model.js';
import type { DatabaseIdentity } from '../../domain/ports/sync/sync-notes.js';

/** `failed over`: the last commits may be lost. `other`: the content is unknown. */
export type DatabaseChange = 'none' | 'first seen' | 'failed over' | 'other';

export function databaseChange(
  formerIdentity: DatabaseIdentity | null,
  identity: DatabaseIdentity,
): DatabaseChange {
  if (formerIdentity === null) return 'first seen';
  const isSame =
    formerIdentity.systemIdentifier === identity.systemIdentifier &&
    formerIdentity.databaseOid === identity.databaseOid;
  if (!isSame) return 'other';
  return formerIdentity.timeline === identity.timeline ? 'none' : 'failed over';
}

/** Whether the address leads to a former primary again, which lacks the last notes. */
export function isFormerPrimary(identity: DatabaseIdentity, lastWritten: DatabaseIdentity | null): boolean {
  if (lastWritten === null) return false;
  return databaseChange(lastWritten, identity) === 'other' || identity.timeline < lastWritten.timeline;
}

/** Null: neither database lacks anything that was read or written before. */
export function updateAfter(
  changes: Readonly<Record<'dashboard' | 'readTables', DatabaseChange>>,
): ReadModelUpdate | null {
  const mayLackRows = (change: DatabaseChange) => change === 'failed over' || change === 'other';
  if (!mayLackRows(changes.dashboard) && !mayLackRows(changes.readTables)) return null;
  // Cached answers must not be served under a later generation.
  return { slices: [], jobs: ALL_AGAIN, raisesAll: mayLackRows(changes.readTables) };
}
