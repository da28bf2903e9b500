import type { Knex } from 'knex';
import type { KeyHasher } from '../../../domain/ports/key-hasher.js';
import type { KeyManager } from '../../../domain/ports/key-manager.js';
import type { DashboardEngine, Print } from '../dashboard-engine.js';
import { type DashboardMapping, withManagedKeys } from '../mapping/dashboard-mapping.js';
import { requireValidMapping } from '../mapping/mapping-findings.js';
import { DashboardKeys, type KeyTable } from '../source/dashboard-keys.js';
import { type MappedConnection, requireTables } from '../source/mapped-connection.js';
import { TableLocked } from '../source/table-locked.js';
import { explainCapture, installCapture, removeCapture } from './capture/capture.js';
import { type CapturedMapping, capturedMapping } from './capture/captured-tables.js';
import { checkMapping } from './checks/check-mapping.js';
import { connectionOf, missingTables } from './connection.js';
import {
  CREATE_MANAGED_KEYS,
  createManagedKeys,
  MANAGED_KEYS,
  managedKeys,
  REFERENCE_KEYS,
} from './key-table.js';
import type { MappedTables } from './read/mapped-tables.js';
import { SESSION_OF_PREPARED } from './read/prepared.js';
import type { PostgresServer } from './server.js';

/** While this session waits for a lock, writers wait behind it. */
const LOCK_TIMEOUT = '5s';

/** A dashboard with a PostgreSQL database. */
export class PostgresDashboard implements DashboardEngine {
  readonly #mapping: DashboardMapping;
  readonly captured: CapturedMapping;

  constructor(
    readonly url: string,
    readonly written: DashboardMapping,
    private readonly reference: DashboardMapping,
    private readonly server: PostgresServer,
    private readonly keyHasher: KeyHasher,
  ) {
    this.#mapping = withManagedKeys(written, MANAGED_KEYS);
    this.captured = capturedMapping(this.#mapping);
  }

  get isReference(): boolean {
    return this.written === this.reference;
  }

  connect(name: string, isForOneSession = false): MappedConnection<MappedTables> {
    const session = this.server.connect(this.url, name, isForOneSession, SESSION_OF_PREPARED);
    return connectionOf(session, this.server, this.#mapping, this.captured);
  }

  migrate(print: Print): Promise<void> {
    return this.#withDatabase(async (database) => {
      await this.#check(database, print);
      await this.server.migrateCapture(this.url, print);
      if (this.written.hasManagedKeys) await createManagedKeys(database);
      const { triggers, functions } = await installCapture(database, this.captured);
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
      for (const statement of await explainCapture(database, this.captured)) print(statement);
    });
  }

  async removeCapture(print: Print): Promise<void> {
    await this.#withDatabase(removeCapture);
    print('Change capture: removed.');
  }

  withKeys(work: (keyManager: KeyManager) => Promise<void>): Promise<void> {
    return this.#withDatabase(async (database) => {
      await this.#requireTables(database);
      await work(new DashboardKeys(database, this.keyHasher, this.#keyTable()));
    });
  }

  async #check(database: Knex, print: Print): Promise<void> {
    if (this.isReference) await this.#requireTables(database);
    requireValidMapping(await checkMapping(database, this.written), print);
  }

  async #requireTables(database: Knex): Promise<void> {
    const { tables } = this.captured;
    requireTables(await this.server.naming('WRITE_DATABASE_URL', () => missingTables(database, tables)));
  }

  #keyTable(): KeyTable {
    if (this.written.hasManagedKeys) return managedKeys(this.#mapping);
    if (this.written.selects.api_keys === this.reference.selects.api_keys) return REFERENCE_KEYS;
    throw new Error(
      'The dashboard creates its own keys: DASHBOARD_MAPPING maps their table. ' +
        'With `api_keys: managed` in the mapping, this command creates them.',
    );
  }

  async #withDatabase(work: (database: Knex) => Promise<void>): Promise<void> {
    const database = this.server.open(this.url, { lock_timeout: LOCK_TIMEOUT });
    try {
      await work(database);
    } catch (error) {
      throw error instanceof TableLocked ? error.described('pg_stat_activity and pg_prepared_xacts') : error;
    } finally {
      await database.destroy();
    }
  }
}
