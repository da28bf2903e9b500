import type { CaptureChange, CaptureLook } from '../../model/capture.js';

/** A server, one of its databases, and the timeline of its history. */
export interface DatabaseIdentity {
  /** The id with which the server was created; of a store, with what a restore into it changes. */
  readonly systemIdentifier: string;
  readonly databaseOid: string;
  /** Another one after a promotion or a restore; of a dashboard, also after its server starts. */
  readonly timeline: number;
}

export type SyncedDatabase = 'dashboard' | 'readTables';

/** What workers know of the two databases, stored, restored and moved with the read model. */
export interface SyncNotes {
  /** The identity of that store as it is now. */
  identity(): Promise<DatabaseIdentity>;
  /** The identity as the last leader saw it. Null: no leader ever did. */
  lastIdentity(database: SyncedDatabase): Promise<DatabaseIdentity | null>;
  remember(database: SyncedDatabase, identity: DatabaseIdentity): Promise<void>;
  /**
   * Records the state of the capture and adds the resulting jobs in one transaction. Throws
   * `LeadershipLost` and changes nothing if `epoch` is over.
   */
  noteCapture(epoch: number, look: CaptureLook): Promise<CaptureChange>;
}
