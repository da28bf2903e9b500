/** Which database it is: of which server, by the id that it was made with, and on which branch of that server's history. */
export interface DatabaseIdentity {
  readonly systemIdentifier: string;
  readonly databaseOid: string;
  /** Raised each time that a standby is promoted, or a backup restored to a moment: what came last before may be lost. */
  readonly timeline: number;
}

/**
 * What became of a database since it was seen last. `failed over`: it is the same one, and its last commits may be gone. `other`: it is
 * another one, which may hold anything.
 */
export type DatabaseChange = 'none' | 'first seen' | 'failed over' | 'other';

export function databaseChange(known: DatabaseIdentity | null, present: DatabaseIdentity): DatabaseChange {
  if (known === null) return 'first seen';
  const isSame =
    known.systemIdentifier === present.systemIdentifier && known.databaseOid === present.databaseOid;
  if (!isSame) return 'other';
  return known.timeline === present.timeline ? 'none' : 'failed over';
}
