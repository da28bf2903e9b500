import type { Dashboard } from '../../support/dashboards/dashboard.js';
import type { Faults } from './fault-plan.js';

/** The servers of an installation, and their faults. */
export interface Surroundings {
  readonly dashboard: Pick<Dashboard, 'readDatabaseUrl' | 'tenant' | 'writeDatabaseUrl'>;
  /** The values of the variables with these names. */
  readonly databaseUrls: { readonly READ_DATABASE_URL: string; readonly WRITE_DATABASE_URL: string };
  readonly redisUrl: string;
  readonly limit: { readonly max: number; readonly windowMs: number };
  readonly parts: Readonly<Record<string, Faults>>;
  /** Called after all faults. Repeats repairs of operators that a failover has undone. */
  settle(): Promise<void>;
  /** Forgets the traffic that proxies have recorded. */
  forget(): void;
  stop(): Promise<void>;
}
