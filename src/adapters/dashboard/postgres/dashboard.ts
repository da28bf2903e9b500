import type { Knex } from 'knex';
import type { KeyHasher } from '../../../domain/ports/system/key-hasher.js';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import { type Installed, MappedDashboard, type Print } from '../source/mapped-dashboard.js';
import { explainCapture, installCapture, removeCapture } from './capture/capture.js';
import { captureState, installedFor } from './capture/capture-state.js';
import { type CapturedMapping, capturedMapping } from './capture/captured-tables.js';
import { checkMapping } from './checks/check-mapping.js';
import { Dialect } from './dialect.js';
import { CREATE_MANAGED_KEYS, MANAGED_KEYS } from './key-table.js';
import { Queue } from './queue.js';
import { SESSION_OF_PREPARED } from './read/prepared.js';
import { quoted, quotedTable, shownTable, type TableName } from './read/quoted.js';
import type { PostgresServer } from './server.js';

/** While this session waits for a lock, writers wait behind it. */
const LOCK_TIMEOUT = '5s';

/** A dashboard with a PostgreSQL database. */
export class PostgresDashboard extends MappedDashboard<Dialect> {
  protected readonly createKeys = CREATE_MANAGED_KEYS;
  readonly captured: CapturedMapping;

  constructor(
    url: string,
    written: DashboardMapping,
    reference: DashboardMapping,
    keyHasher: KeyHasher,
    private readonly server: PostgresServer,
  ) {
    super(url, written, reference, keyHasher, MANAGED_KEYS);
    this.captured = capturedMapping(this.mapping);
  }

  dialect(): Dialect {
    return new Dialect(this.mapping);
  }

  queueOn(database: Knex): Queue {
    return new Queue(database);
  }

  isOutage(error: unknown): boolean {
    return this.server.isOutage(error);
  }

  missingTables(database: Knex): Promise<readonly string[]> {
    return this.server.naming('WRITE_DATABASE_URL', () => missingTables(database, this.captured.tables));
  }

  identity(database: Knex) {
    return this.server.identity(database);
  }

  protected async installedFor(database: Knex): Promise<string> {
    return (await installedFor(database)) ?? '';
  }

  captureState(database: Knex) {
    return captureState(database, this.captured);
  }

  check(database: Knex) {
    return checkMapping(database, this.written);
  }

  protected open(): Knex {
    return this.server.open(this.url, { lock_timeout: LOCK_TIMEOUT });
  }

  protected session(name: string, isForOneSession: boolean) {
    return this.server.connect(this.url, name, isForOneSession, SESSION_OF_PREPARED);
  }

  protected async install(database: Knex, print: Print): Promise<Installed> {
    await this.server.migrateCapture(this.url, print);
    return installCapture(database, this.captured);
  }

  protected statements(database: Knex): Promise<readonly string[]> {
    return explainCapture(database, this.captured);
  }

  protected async grants(): Promise<readonly string[]> {
    const { tables } = this.captured;
    const schemas = [...new Set([...tables.map(({ schema }) => schema), 'content_sync'])];
    return [
      `grant usage on schema ${schemas.map(quoted).join(', ')} to sync_worker`,
      `grant select on ${tables.map(quotedTable).join(', ')} to sync_worker`,
      'grant select, delete on content_sync.change_queue to sync_worker',
      'grant execute on function content_sync.acknowledge(bigint[]) to sync_worker',
    ];
  }

  protected uninstall(database: Knex): Promise<void> {
    return removeCapture(database);
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
