import type { Dashboard } from '../support/dashboards/dashboard.js';
import type { Faults } from './fault-plan.js';

/** The servers that an installation stands on, and how they fail it. */
export interface Surroundings {
  readonly dashboard: Dashboard;
  /** As the variables of these names have them. */
  readonly databaseUrls: { readonly READ_DATABASE_URL: string; readonly WRITE_DATABASE_URL: string };
  readonly redisUrl: string;
  /** How the API programs are started, if not as one process each. */
  readonly apis?: { readonly processes: number; readonly environment: Readonly<Record<string, string>> };
  readonly limit: { readonly max: number; readonly windowMs: number };
  readonly parts: Readonly<Record<string, Faults>>;
  /** The URLs of the replicas of the read database, by the parts that they are. */
  readonly replicas: Readonly<Record<string, string>>;
  /** After all faults: what operators repaired, and a failover undid, is repaired again. */
  settle(): Promise<void>;
  /** What a proxy remembers of the traffic so far. */
  forget(): void;
  stop(): Promise<void>;
}
