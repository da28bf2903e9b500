/** A server, one of its databases, and the timeline of its history. */
export interface DatabaseIdentity {
  /** The id with which the server was created; of a store, with what a restore into it changes. */
  readonly systemIdentifier: string;
  readonly databaseOid: string;
  /** Another one after a promotion or a restore; of a dashboard, also after its server starts. */
  readonly timeline: number;
}

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
