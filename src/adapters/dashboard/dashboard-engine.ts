import type { KeyManager } from '../../domain/ports/key-manager.js';
import type { DashboardConnection } from './dashboard-connection.js';

/** One kind of database that a dashboard may have, with everything that programs and jobs need of it. The address selects the kind. */
export interface DashboardEngine {
  /** `isForOneSession`: a lost connection is not reopened, because it may then lead to another server. */
  connect(name: string, isForOneSession?: boolean): DashboardConnection;
  /** Performs all checks, then installs or updates the change capture. */
  migrate(print: Print): Promise<void>;
  /** Prints what `migrate` would create and which rights the worker's role needs. Creates nothing. */
  explain(print: Print): Promise<void>;
  removeCapture(print: Print): Promise<void>;
  /** Gives access to the creation and removal of keys. Fails with a readable message if the dashboard manages its keys itself. */
  withKeys(work: (keyManager: KeyManager) => Promise<void>): Promise<void>;
}

export type Print = (text: string) => void;
