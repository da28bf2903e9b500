import type { Knex } from 'knex';
import type { DatabaseIdentity } from '../../../domain/policies/database-change.js';
import type { DashboardSession, Print } from '../source/mapped-dashboard.js';

type Settings = Readonly<Record<string, string>>;

/** What the adapters of PostgreSQL offer for any database. */
export interface PostgresServer {
  open(url: string, settings: Settings): Knex;
  connect(url: string, name: string, isForOneSession: boolean, settings: Settings): DashboardSession;
  isOutage(error: unknown): boolean;
  identity(database: Knex): Promise<DatabaseIdentity>;
  migrateCapture(url: string, print: Print): Promise<void>;
  /** Names the setting of the database in the message of a failure. */
  naming<Result>(variable: string, ask: () => Promise<Result>): Promise<Result>;
}
