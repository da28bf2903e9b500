import type { KeyDesk } from '../../adapters/cli/keys-command.js';
import type { DashboardConnection } from '../../composition/dashboard-connection.js';

/** A database of some kind that a dashboard may have: all that programs and jobs need of it. Its address tells which kind it is. */
export interface DashboardEngine {
  /** `isForOneSession`: what is lost is not made anew, since it may lead to another server then. */
  connect(name: string, isForOneSession?: boolean): DashboardConnection;
  /** Checks all that can be checked, then installs the change capture, or brings it up to date. */
  migrate(print: Print): Promise<void>;
  /** Prints what `migrate` would create, and what the worker's role has to be granted; creates nothing. */
  explain(print: Print): Promise<void>;
  removeCapture(print: Print): Promise<void>;
  /** Where keys are made and unmade; fails with words for people where that is the dashboard's own business. */
  withKeys(work: (desk: KeyDesk) => Promise<void>): Promise<void>;
}

export type Print = (text: string) => void;
