import type { KeyDesk } from '../../adapters/cli/keys-command.js';
import type { CaptureLook } from '../../domain/model/capture.js';
import type { RowKind } from '../../domain/model/read-model.js';
import type { DatabaseIdentity } from '../../domain/policies/database-change.js';
import type { ChangeFeed } from '../../domain/ports/change-feed.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { ContentSource } from '../../domain/ports/content-source.js';
import type { HealthCheck } from '../doctor/health-check.js';

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
  /** What the doctor looks at that only this kind of database has. */
  examination(patienceMs: number, clock: Clock): DashboardExamination;
}

export type Print = (text: string) => void;

/** One connection. Nothing of it is to be used after a failure. */
export interface DashboardConnection {
  readonly feed: ChangeFeed;
  readonly source: ContentSource;
  /** Whether it is still the first connection, and open. */
  readonly isIntact: boolean;
  /** Whether a failure is of the server or of the moment, and not of what was asked. */
  isOutage(error: unknown): boolean;
  /** Fails with words for people where a table or the change capture is missing. */
  requireTables(): Promise<void>;
  requireCapture(): Promise<void>;
  identity(): Promise<DatabaseIdentity>;
  /** As the catalogue of the dashboard's database shows it. */
  captureState(): Promise<CaptureLook>;
  /** Has all that was acknowledged lately taken once more. Answers how many changes that are. */
  replayAcknowledged(seconds: number): Promise<number>;
  /** The last change that is waiting; null: none is. */
  newestChange(): Promise<bigint | null>;
  /** From an id on that is known to be not above it. */
  oldestChange(from: bigint): Promise<bigint | null>;
  queue(): Promise<ChangeQueue>;
  /** The rows that the API shows once all changes are applied, those that are quarantined included. */
  countShownRows(): Promise<Readonly<Record<RowKind, number>>>;
  /** Also where the other side does not answer any more. */
  close(): Promise<void>;
}

/** The change queue as operators see it. */
export interface ChangeQueue {
  readonly length: number;
  /** How long the oldest change has been waiting; null: none waits. */
  readonly lagMs: number | null;
}

export interface DashboardExamination {
  /** Whether there is anything to look at. */
  readonly connection: HealthCheck;
  readonly server: readonly HealthCheck[];
  /** After all others. */
  readonly rights: readonly HealthCheck[];
  close(): Promise<void>;
}
