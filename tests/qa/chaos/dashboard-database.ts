import type { ReadModelDump } from '../../support/sync/expected-read-model.js';

/** The dashboard's database, on a connection that is reopened until a statement succeeds. */
export interface DashboardDatabase {
  /** Has to be safe to repeat. Its parameters are $1, $2 and so on, each used once, in this order. */
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Does nothing if there is a key with this id. */
  insertKey(id: string, organizationId: string, hash: string, expiresAt: Date | null): Promise<void>;
  expectedReadModel(): Promise<ReadModelDump>;
  /** The number of queued changes of each kind. */
  waitingChanges(): Promise<unknown>;
  end(): Promise<void>;
}
