import type { KeyManager } from '../../adapters/cli/keys-command.js';
import type { DashboardMapping } from '../../adapters/dashboard/mapping/dashboard-mapping.js';
import { withManagedKeys } from '../../adapters/dashboard/mapping/with-managed-keys.js';
import { type CapturedMapping, capturedMapping } from '../../adapters/dashboard/postgres/captured-mapping.js';
import {
  ensureCapture,
  removeCapture,
  TableInUse,
} from '../../adapters/dashboard/postgres/change-capture.js';
import { checkClock } from '../../adapters/dashboard/postgres/check-clock.js';
import { checkMapping } from '../../adapters/dashboard/postgres/check-mapping.js';
import { DashboardApiKeys, type KeyHome } from '../../adapters/dashboard/postgres/dashboard-api-keys.js';
import { explainedCapture } from '../../adapters/dashboard/postgres/explained-capture.js';
import {
  CREATE_MANAGED_KEYS,
  createManagedKeys,
  MANAGED_KEYS,
  managedKeyHome,
} from '../../adapters/dashboard/postgres/managed-keys.js';
import { SESSION_OF_PREPARED } from '../../adapters/dashboard/postgres/prepared.js';
import { QueuePosition } from '../../adapters/dashboard/postgres/queue-position.js';
import { TimelessSelects } from '../../adapters/dashboard/source/timeless-selects.js';
import { openDashboardDatabase } from '../../adapters/postgres/connection/dashboard-database.js';
import { WorkerConnection } from '../../adapters/postgres/connection/worker-connection.js';
import { Sha256KeyHasher } from '../../adapters/system/sha256-key-hasher.js';
import { CAPTURE_MIGRATIONS } from '../../composition/project-folders.js';
import { migrateAndReport } from '../admin/migrate-and-report.js';
import { requireDashboardTables } from '../admin/require-tables.js';
import type { DashboardEngine, Print } from './dashboard-engine.js';
import { PostgresConnection } from './postgres-connection.js';
import { requireValidMapping } from './require-valid-mapping.js';

/** While this session waits for a lock, writers wait behind it. */
const LOCK_TIMEOUT = '5s';

type Database = ReturnType<typeof openDashboardDatabase>;

/** A dashboard with a PostgreSQL database. */
export class PostgresDashboard implements DashboardEngine {
  /** Kept across connections, because the queue is polled repeatedly. */
  readonly #position = new QueuePosition();

  readonly #mapping: DashboardMapping;
  readonly #timeless: TimelessSelects;
  readonly captured: CapturedMapping;

  constructor(
    readonly url: string,
    readonly written: DashboardMapping,
    private readonly reference: DashboardMapping,
  ) {
    this.#mapping = withManagedKeys(written, MANAGED_KEYS);
    this.#timeless = new TimelessSelects(this.#mapping, checkClock);
    this.captured = capturedMapping(this.#mapping);
  }

  get isReference(): boolean {
    return this.written === this.reference;
  }

  connect(name: string, isForOneSession = false): PostgresConnection {
    const connection = new WorkerConnection(this.url, name, isForOneSession, SESSION_OF_PREPARED);
    return new PostgresConnection(connection, this.#mapping, this.captured, this.#position, this.#timeless);
  }

  migrate(print: Print): Promise<void> {
    return this.#withDatabase(async (database) => {
      await this.#check(database, print);
      await migrateAndReport(
        { what: 'Change capture', variable: 'WRITE_DATABASE_URL', url: this.url },
        CAPTURE_MIGRATIONS,
        print,
      );
      if (this.written.hasManagedKeys) await createManagedKeys(database);
      const { triggers, functions } = await ensureCapture(database, this.captured);
      if (triggers + functions === 0) return;
      const what =
        triggers === 0 ? 'its functions' : `${triggers} ${triggers === 1 ? 'trigger' : 'triggers'}`;
      print(`Change capture: installed ${what}; everything is read again.`);
    });
  }

  explain(print: Print): Promise<void> {
    return this.#withDatabase(async (database) => {
      await this.#check(database, print);
      if (this.written.hasManagedKeys) print(`${CREATE_MANAGED_KEYS};`);
      for (const statement of await explainedCapture(database, this.captured)) print(statement);
    });
  }

  async removeCapture(print: Print): Promise<void> {
    await this.#withDatabase(removeCapture);
    print('Change capture: removed.');
  }

  withKeys(work: (keyManager: KeyManager) => Promise<void>): Promise<void> {
    return this.#withDatabase(async (database) => {
      await requireDashboardTables(database, this.captured.tables);
      await work(new DashboardApiKeys(database, new Sha256KeyHasher(), this.#keyHome()));
    });
  }

  async #check(database: Database, print: Print): Promise<void> {
    if (this.isReference) await requireDashboardTables(database, this.captured.tables);
    requireValidMapping(await checkMapping(database, this.written), print);
  }

  #keyHome(): KeyHome | undefined {
    if (this.written.hasManagedKeys) return managedKeyHome(this.#mapping);
    if (this.written.selects.api_keys === this.reference.selects.api_keys) return undefined;
    throw new Error(
      'The dashboard creates its own keys: DASHBOARD_MAPPING maps their table. ' +
        'With `api_keys: managed` in the mapping, this command creates them.',
    );
  }

  async #withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
    const database = openDashboardDatabase(this.url, { lock_timeout: LOCK_TIMEOUT });
    try {
      await work(database);
    } catch (error) {
      throw describeError(error);
    } finally {
      await database.destroy();
    }
  }
}

function describeError(error: unknown): unknown {
  if (!(error instanceof TableInUse)) return error;
  return new Error(
    `Change capture: ${error.table} in the dashboard's database is in use by a long transaction (see ` +
      'pg_stat_activity and pg_prepared_xacts). Its triggers cannot be installed without delaying the dashboard: ' +
      'run this command again when the transaction has ended. Installed triggers stay.',
  );
}
