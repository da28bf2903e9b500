/** Identifies a database: its server, by the id assigned when the server was created, and the timeline of that server's history. */
export interface DatabaseIdentity {
  readonly systemIdentifier: string;
  readonly databaseOid: string;
  /** Increases each time that a standby is promoted, or a backup is restored to a point in time. The last commits before may be lost. */
  readonly timeline: number;
}

/**
 * How a database changed since the last check. `failed over`: it is the same one, but its last commits may be lost. `other`: it is a
 * different one with unknown content.
 */
export type DatabaseChange = 'none' | 'first seen' | 'failed over' | 'other';

export function databaseChange(known: DatabaseIdentity | null, present: DatabaseIdentity): DatabaseChange {
  if (known === null) return 'first seen';
  const isSame =
    known.systemIdentifier === present.systemIdentifier && known.databaseOid === present.databaseOid;
  if (!isSame) return 'other';
  return known.timeline === present.timeline ? 'none' : 'failed over';
}
