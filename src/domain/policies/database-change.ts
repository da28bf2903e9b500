/** A server, by the id it was created with, and the timeline of its history. */
export interface DatabaseIdentity {
  readonly systemIdentifier: string;
  readonly databaseOid: string;
  /** Grows with each promotion or point-in-time restore, which may lose the last commits. */
  readonly timeline: number;
}

/** `failed over`: the last commits may be lost. `other`: the content is unknown. */
export type DatabaseChange = 'none' | 'first seen' | 'failed over' | 'other';

export function databaseChange(known: DatabaseIdentity | null, present: DatabaseIdentity): DatabaseChange {
  if (known === null) return 'first seen';
  const isSame =
    known.systemIdentifier === present.systemIdentifier && known.databaseOid === present.databaseOid;
  if (!isSame) return 'other';
  return known.timeline === present.timeline ? 'none' : 'failed over';
}
