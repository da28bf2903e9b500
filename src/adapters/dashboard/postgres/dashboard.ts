import type { Knex } from 'knex';
import type { DatabaseIdentity } from '../../../domain/policies/database-change.js';
import type { KeyHasher } from '../../../domain/ports/system/key-hasher.js';
import { capturesOf, type DashboardMapping } from '../mapping/dashboard-mapping.js';
import {
  type DashboardSession,
  type Installed,
  MappedDashboard,
  type Print,
  type Server,
} from '../source/mapped-dashboard.js';
import { explainCapture, installCapture, removeCapture } from './capture/capture.js';
import { installedFor } from './capture/capture-facts.js';
import { captureState } from './capture/capture-state.js';
import { checkMapping } from './checks/check-mapping.js';
import { tablesOfWorker } from './checks/tables-in.js';
import { Dialect } from './dialect.js';
import { CREATE_MANAGED_KEYS, MANAGED_KEYS } from './key-table.js';
import { Queue } from './queue.js';
import { SESSION_OF_PREPARED } from './read/prepared.js';
import { quoted, quotedTable, shownTable, type TableName, tableName } from './read/quoted.js';

type Settings = Readonly<Record<string, string>>;

/** What the adapters of PostgreSQL offer for any database. */
export interface PostgresServer {
  open(url: string, settings: Settings): Knex;
  connect(url: string, name: string, isForOneSession: boolean, settings: Settings): DashboardSession;
  isOutage(error: unknown): boolean;
  version(database: Knex): Promise<string>;
  isBehindPooler(database: Knex): Promise<boolean>;
  identity(database: Knex): Promise<DatabaseIdentity>;
  migrateCapture(url: string, print: Print): Promise<void>;
  /** Names the setting of the database in the message of a failure. */
  naming<Result>(variable: string, ask: () => Promise<Result>): Promise<Result>;
}

/** While this session waits for a lock, writers wait behind it. */
const LOCK_TIMEOUT = '5s';

/** A dashboard with a PostgreSQL database. */
export class PostgresDashboard extends MappedDashboard<Dialect> {
  protected readonly createKeys = CREATE_MANAGED_KEYS;

  constructor(
    url: string,
    written: DashboardMapping,
    reference: DashboardMapping,
    keyHasher: KeyHasher,
    private readonly postgres: PostgresServer,
  ) {
    super(url, written, reference, keyHasher, MANAGED_KEYS);
  }

  dialect(): Dialect {
    return new Dialect(this.mapping);
  }

  queueOn(database: Knex): Queue {
    return new Queue(database, capturesOf(this.mapping));
  }

  isOutage(error: unknown): boolean {
    return this.postgres.isOutage(error);
  }

  missingTables(database: Knex): Promise<readonly string[]> {
    return this.postgres.naming('WRITE_DATABASE_URL', () => missingTables(database, this.#tables()));
  }

  get isBehindPooler() {
    return this.postgres.isBehindPooler;
  }

  async server(database: Knex): Promise<Server> {
    return { product: 'PostgreSQL', version: await this.postgres.version(database) };
  }

  identity(database: Knex) {
    return this.postgres.identity(database);
  }

  protected async installedFor(database: Knex): Promise<string> {
    return (await installedFor(database)) ?? '';
  }

  captureState(database: Knex) {
    return captureState(database, this.mapping);
  }

  check(database: Knex) {
    return checkMapping(database, this.written);
  }

  protected open(): Knex {
    return this.postgres.open(this.url, { lock_timeout: LOCK_TIMEOUT });
  }

  protected session(name: string, isForOneSession: boolean) {
    return this.postgres.connect(this.url, name, isForOneSession, SESSION_OF_PREPARED);
  }

  protected async install(database: Knex, print: Print): Promise<Installed> {
    await this.postgres.migrateCapture(this.url, print);
    return installCapture(database, this.mapping);
  }

  protected statements(database: Knex): Promise<readonly string[]> {
    return explainCapture(database, this.mapping);
  }

  protected async grants(database: Knex): Promise<readonly string[]> {
    const tables = await tablesOfWorker(database, this.mapping);
    const schemas = [...new Set([...tables.map(({ schema }) => schema), 'content_sync'])];
    return [
      `grant usage on schema ${schemas.map(quoted).join(', ')} to sync_worker`,
      `grant select on ${tables.map(quotedTable).join(', ')} to sync_worker`,
      'grant select, insert, delete on content_sync.change_queue to sync_worker',
    ];
  }

  protected uninstall(database: Knex): Promise<void> {
    return removeCapture(database);
  }

  #tables(): readonly TableName[] {
    return this.mapping.captures.map(({ table }) => tableName(table));
  }
}

/** Captured tables that the database lacks. */
export async function missingTables(
  database: Knex,
  tables: readonly TableName[],
): Promise<readonly string[]> {
  const { rows }: { rows: { name: string }[] } = await database.raw(
    `select shown as name from unnest(:tables::text[], :names::text[]) as asked (name, shown)
     where to_regclass(name) is null`,
    { tables: tables.map(quotedTable), names: tables.map(shownTable) },
  );
  return rows.map(({ name }) => name);
}
