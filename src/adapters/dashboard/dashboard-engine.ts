import type { CaptureLook, ChangeQueue } from '../../domain/model/capture.js';
import type { RowKind } from '../../domain/model/read-model.js';
import type { DatabaseIdentity } from '../../domain/policies/database-change.js';
import type { ChangeFeed } from '../../domain/ports/change-feed.js';
import type { ContentSource } from '../../domain/ports/content-source.js';
import type { KeyManager } from '../../domain/ports/key-manager.js';

/** One kind of database that a dashboard may have. The address selects the kind. */
export interface DashboardEngine {
  /** `isForOneSession`: not reopened, because a new connection may lead to another server. */
  connect(name: string, isForOneSession?: boolean): DashboardConnection;
  /** Performs all checks, then installs or updates the change capture. */
  migrate(print: Print): Promise<void>;
  /** Prints what `migrate` would create, and the rights of the worker's role. Creates nothing. */
  explain(print: Print): Promise<void>;
  removeCapture(print: Print): Promise<void>;
  /** Creates and removes keys. Fails if the dashboard manages its keys itself. */
  withKeys(work: (keyManager: KeyManager) => Promise<void>): Promise<void>;
}

export type Print = (text: string) => void;

/** One connection to the database of a dashboard. It must not be used after a failure. */
export interface DashboardConnection {
  readonly feed: ChangeFeed;
  readonly source: ContentSource;
  /** Whether it is still the first connection, and open. */
  readonly isIntact: boolean;
  /** Whether an error is caused by the server or is temporary, and not caused by the request. */
  isOutage(error: unknown): boolean;
  /** Fails with a readable message if a table or the change capture is missing. */
  requireTables(): Promise<void>;
  requireCapture(): Promise<void>;
  identity(): Promise<DatabaseIdentity>;
  /** As the catalog of the dashboard's database shows it. */
  captureState(): Promise<CaptureLook>;
  /** Queues recently acknowledged changes again. Returns the number of changes. */
  replayAcknowledged(seconds: number): Promise<number>;
  /** The newest change in the queue. Null: the queue is empty. */
  newestChange(): Promise<bigint | null>;
  /** Searches from an id that is known to be no higher than the result. */
  oldestChange(from: bigint): Promise<bigint | null>;
  queue(): Promise<ChangeQueue>;
  /** How many rows the API shows once all changes are applied, quarantined ones included. */
  countShownRows(): Promise<Readonly<Record<RowKind, number>>>;
  /** Also works if the server does not respond any more. */
  close(): Promise<void>;
}
