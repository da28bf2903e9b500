import type { CaptureChange, CaptureLook } from '../model/capture.js';
import type { DatabaseIdentity } from '../policies/database-change.js';

export type SyncedDatabase = 'dashboard' | 'readTables';

/**
 * What workers remember of the two databases between which they sync. It is kept in the store of the read model, and shares its fate: a
 * store that is restored or moved brings it along.
 */
export interface SyncNotes {
  /** That store itself, as it is now. */
  identity(): Promise<DatabaseIdentity>;
  /** As a worker that led saw it last; null: none ever did. */
  known(database: SyncedDatabase): Promise<DatabaseIdentity | null>;
  remember(database: SyncedDatabase, identity: DatabaseIdentity): Promise<void>;
  /**
   * Notes what the change capture looks like, and adds the work that this means, in one transaction: `captureChange` of the policies says
   * what. Throws `LeadershipLost`, and changes nothing, if `epoch` is over.
   */
  noteCapture(epoch: number, look: CaptureLook): Promise<CaptureChange>;
}
