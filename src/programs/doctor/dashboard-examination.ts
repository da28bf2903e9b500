import type { HealthCheck } from './health-check.js';

/** What the doctor looks at that only this kind of database has. */
export interface DashboardExamination {
  /** Whether there is anything to look at. */
  readonly connection: HealthCheck;
  readonly server: readonly HealthCheck[];
  /** After all others. */
  readonly rights: readonly HealthCheck[];
  close(): Promise<void>;
}
