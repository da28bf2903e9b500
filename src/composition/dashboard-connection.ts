import type { CaptureLook } from '../domain/model/capture.js';
import type { RowKind } from '../domain/model/read-model.js';
import type { DatabaseIdentity } from '../domain/policies/database-change.js';
import type { ChangeFeed } from '../domain/ports/change-feed.js';
import type { ContentSource } from '../domain/ports/content-source.js';

/** One connection to the database of a dashboard, of whichever kind. Nothing of it is to be used after a failure. */
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
