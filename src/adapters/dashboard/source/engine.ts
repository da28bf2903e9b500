import type { Knex } from 'knex';
import type { Fault } from '../../../domain/errors.js';
import type { CaptureLook } from '../../../domain/model/capture.js';
import type { DatabaseIdentity } from '../../../domain/ports/sync/sync-notes.js';
import type { WorkerConnection } from '../../sql/worker-connection.js';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import type { MappingFindings } from '../mapping/mapping-findings.js';
import type { SourceDialect } from './source-dialect.js';
import type { StoredQueue } from './stored-queue.js';

export type Print = (text: string) => void;

/** The program of a server, and its version. */
export interface Server {
  readonly product: 'PostgreSQL' | 'MariaDB' | 'MySQL';
  readonly version: string;
  readonly isUnencrypted: boolean;
}

/** What was missing of a change capture, or was another one. */
export interface Installed {
  readonly triggers: number;
  /** Functions, or the mapping that it was installed for. */
  readonly hasOthers: boolean;
}

/** What differs between the databases that a dashboard may have. */
export interface Engine {
  /** The name of the table of managed keys, and the statements that create it. */
  readonly managedKeys: string;
  readonly createKeys: readonly string[];
  /** For a command. */
  open(url: string): Knex;
  /** For a worker. `isForOneSession`: not reopened, because it may lead to another server. */
  connect(url: string, name: string, isForOneSession: boolean): WorkerConnection;
  dialectOf(mapping: DashboardMapping): SourceDialect;
  queueOf(database: Knex, dialect: SourceDialect): StoredQueue;
  /** By the one table of the engine's codes. Null: not the server's error. */
  faultOf(error: unknown): Fault | null;
  server(database: Knex): Promise<Server>;
  /** Null: no pooler of this engine shares sessions. */
  readonly sharesSessions: ((database: Knex) => Promise<boolean>) | null;
  identity(database: Knex): Promise<DatabaseIdentity>;
  /** Captured tables that the database lacks, or that its user may not see. */
  missingTables(database: Knex, mapping: DashboardMapping): Promise<readonly string[]>;
  /** What is wrong with a mapping in this database. Changes nothing. */
  checkMapping(database: Knex, mapping: DashboardMapping): Promise<MappingFindings>;
  /** The digest of the installed capture. Empty: there is none. */
  installedFor(database: Knex): Promise<string>;
  /** As the catalog of the database shows it. */
  captureState(database: Knex, mapping: DashboardMapping): Promise<CaptureLook>;
  install(database: Knex, mapping: DashboardMapping, url: string, print: Print): Promise<Installed>;
  /** The statements of an installation. */
  explainCapture(database: Knex, mapping: DashboardMapping): Promise<readonly string[]>;
  /** The statements that give a worker's role its rights. Run again, they change nothing. */
  grants(database: Knex, mapping: DashboardMapping, role: string): Promise<readonly string[]>;
  removeCapture(database: Knex): Promise<void>;
}
