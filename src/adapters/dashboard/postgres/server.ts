import type { Knex } from 'knex';
import type { DatabaseIdentity } from '../../../domain/policies/database-change.js';
import type { Print } from '../dashboard-engine.js';

type Settings = Readonly<Record<string, string>>;

/** A worker's only connection to a server. */
export interface PostgresSession {
  readonly database: Knex;
  readonly isIntact: boolean;
  close(): Promise<void>;
}

/** What the adapters of PostgreSQL offer for any database. */
export interface PostgresServer {
  open(url: string, settings: Settings): Knex;
  connect(url: string, name: string, isForOneSession: boolean, settings: Settings): PostgresSession;
  isOutage(error: unknown): boolean;
  identity(database: Knex): Promise<DatabaseIdentity>;
  migrateCapture(url: string, print: Print): Promise<void>;
  /** Names the setting of the database in the message of a failure. */
  naming<Result>(variable: string, ask: () => Promise<Result>): Promise<Result>;
}
