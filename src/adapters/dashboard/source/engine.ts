import type { Knex } from 'knex';
import type { Fault } from '../../../domain/errors.js';
import type { CaptureLook } from '../../../domain/model/capture.js';
import type { DatabaseIdentity } from '../../../domain/ports/sync/sync-notes.js';
import type { WorkerConnection } from '../../sql/worker-connection.js';
import type {
  CapturedKind,
  CapturedTable,
  DashboardMapping,
  SourceName,
} from '../mapping/dashboard-mapping.js';
import type { TypedColumns } from '../mapping/mapped-columns.js';
import type { Lane, StoredChange } from './lanes.js';
import type { LookUps } from './look-ups.js';
import type { Described, SourceTables, Stored } from './source-tables.js';
import type { Trial } from './trial.js';

/** What differs between the databases that a dashboard may have. */
export interface Engine {
  readonly client: EngineClient;
  readonly words: EngineWords;
  readonly read: EngineRead;
  readonly capture: EngineCapture;
  readonly checks: EngineChecks;
}

/** How a server is connected to and asked, and what its errors mean. */
interface EngineClient {
  /** For a command. */
  open(url: string): Knex;
  /** For a worker. `isForOneSession`: not reopened, because it may lead to another server. */
  connect(url: string, name: string, isForOneSession: boolean): WorkerConnection;
  query(database: Knex, statement: string): Promise<readonly Stored[]>;
  /** Null: not the server's error. */
  faultOf(error: unknown): Fault | null;
  /** `denied`: the session's user lacks a right. `locked`: a lock was not granted in time. */
  means(error: unknown, meaning: 'denied' | 'locked'): boolean;
  /** What the server says. */
  reasonIn(error: Error): string;
  server(database: Knex): Promise<Server>;
  /** Whether a pooler gives the worker's session to others, too. */
  sharesSessions(database: Knex): Promise<boolean>;
  identity(database: Knex): Promise<DatabaseIdentity>;
}

/** The program of a server, and its version. */
export interface Server {
  readonly product: 'PostgreSQL' | 'MariaDB' | 'MySQL';
  readonly version: string;
  readonly isUnencrypted: boolean;
}

/** Names and SQL. */
interface EngineWords {
  /** The name of the table of managed keys, and the statements that create it. */
  readonly managedKeys: string;
  readonly createKeys: readonly string[];
  /** The condition that `key_hash` is not 64 lower-case hex digits. */
  readonly isNoHash: string;
  readonly queue: QueueWords;
}

export interface QueueWords {
  /** Has a row if the table exists. PostgreSQL refuses it without a right to the schema. */
  readonly whetherInstalled: string;
  readonly table: string;
  readonly key: string;
  /** The time of a change, as text. */
  readonly time: string;
  /** The age of the oldest of some changes, whose time is `at`. */
  readonly lagMs: string;
  /** A statement that adds the changes of a select of `kind`, `row_key` and `at`. */
  readonly add: (select: string) => string;
}

/** How selects of a mapping are read. */
interface EngineRead {
  readonly snapshotMode: Knex.TransactionConfig;
  /** The columns of a select, without reading rows. */
  describe(database: Knex, select: string): Promise<TypedColumns>;
  tablesOf(mapping: DashboardMapping, columnsOf: Described): SourceTables;
  /** What an error in a snapshot means. Null: it is not the server's error. */
  faultOf(error: unknown): Fault | null;
  /** Whether a snapshot has to be taken again, because a table was replaced, for example. */
  isOutdated(error: unknown): boolean;
  /** Ends each statement of the read that takes a second. */
  briefly<Rows>(snapshot: Knex, read: () => Promise<Rows>): Promise<Rows>;
  /** Throws if a table was replaced after the snapshot. */
  requireSameTables(snapshot: Knex, mapping: DashboardMapping): Promise<void>;
}

/** How changes are noted, and noted changes are read. */
interface EngineCapture {
  /** The digest of the installed capture. Empty: there is none. */
  installedFor(database: Knex): Promise<string>;
  /** The state of the capture as the catalog of the database shows it. */
  state(database: Knex, mapping: DashboardMapping): Promise<CaptureLook>;
  install(database: Knex, mapping: DashboardMapping, url: string, print: Print): Promise<Installed>;
  /** The statements of an installation. */
  explain(database: Knex, mapping: DashboardMapping): Promise<readonly string[]>;
  /** The statements that give a worker's role its rights. Run again, they change nothing. */
  grants(database: Knex, mapping: DashboardMapping, role: string): Promise<readonly string[]>;
  remove(database: Knex): Promise<void>;
  /** The oldest changes of the first of these lanes that has any; of look-ups at least one. */
  oldestIn(snapshot: Knex, lanes: readonly Lane[], limit: number): Promise<readonly StoredChange[]>;
  /** The newest changes of a lane, the newest first. */
  newestIn(snapshot: Knex, lane: Lane, limit: number): Promise<readonly StoredChange[]>;
  delete(database: Knex, ids: readonly string[]): Promise<void>;
  /** A select of `row_key` and `at`: the keys that noted look-ups find. */
  keysFound(database: Knex, lookUps: LookUps): Promise<string>;
  /** Throws SourceTooSlow after LOOK_UP_SECONDS. */
  runBriefly(transaction: Knex, statement: string): Promise<void>;
}

export type Print = (text: string) => void;

/** What was missing of a change capture, or was another one. */
export interface Installed {
  readonly triggers: number;
  /** Functions, or the mapping that it was installed for. */
  readonly hasOthers: boolean;
}

/** What is asked of a database before anything is created in it. */
interface EngineChecks {
  /** Captured tables that the database lacks, or that its user may not see. */
  missingTables(database: Knex, mapping: DashboardMapping): Promise<readonly string[]>;
  questionsOf(trial: Trial): Promise<MappingQuestions>;
}

export interface MappingQuestions {
  /** Why a captured table cannot be captured; null: it can. */
  tableProblem(captured: CapturedTable): Promise<string | null>;
  /** Tries a key on the rows of its table. Returns why it does not fit the ids; null: it does. */
  keyProblem(table: string, kind: CapturedKind, key: string): Promise<string | null>;
  /** The tables that a select reads, with their captures; null: one has none. */
  tablesReadBy(
    select: string,
  ): Promise<readonly { readonly table: string; readonly capture: CapturedTable | null }[]>;
  /** Columns whose text a select converts, with how many rows lose characters. */
  lossyColumns(source: SourceName, select: string): Promise<Readonly<Record<string, number>>>;
}
