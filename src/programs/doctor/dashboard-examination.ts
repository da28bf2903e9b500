import type { HealthCheck } from './health-check.js';

/** The doctor's checks that are specific to one kind of database. */
export interface DashboardExamination {
  /** Whether the database can be reached. */
  readonly connection: HealthCheck;
  readonly server: readonly HealthCheck[];
  /** Runs after all others. */
  readonly rights: readonly HealthCheck[];
  close(): Promise<void>;
}
