import type { Knex } from 'knex';
import type { KeyHasher } from '../../../domain/ports/key-hasher.js';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import { type Installed, MappedDashboard, type Print } from '../source/mapped-dashboard.js';
import { explainCapture, installCapture, removeCapture } from './capture/capture.js';
import { FACTS_PROCEDURE, ownFacts } from './capture/capture-facts.js';
import { captureState } from './capture/capture-state.js';
import { capturesOf } from './capture/captured-tables.js';
import { checkMapping } from './checks/check-mapping.js';
import { accountOf, grants, workerRights } from './checks/rights.js';
import { Dialect } from './dialect.js';
import { CREATE_MANAGED_KEYS, keyTable, MANAGED_KEYS } from './key-table.js';
import { Queue } from './queue.js';
import { isMysqlOutage, queryRows } from './read/query-rows.js';
import { text } from './read/quoted.js';
import { MysqlWorkerConnection, mysqlIdentity, openMysql } from './server.js';

/** The check for duplicate keys scans a whole table. */
const MAX_CHECK_SECONDS = 300;
const KEYS_OF_THE_REFERENCE = 'api_keys';

/** A dashboard with a MySQL or MariaDB database. */
export class MysqlDashboard extends MappedDashboard<Dialect> {
  protected readonly createKeys = CREATE_MANAGED_KEYS;
  protected readonly transactionsView = 'SHOW PROCESSLIST';

  constructor(url: string, written: DashboardMapping, reference: DashboardMapping, keyHasher: KeyHasher) {
    super(url, written, reference, keyHasher, MANAGED_KEYS);
  }

  dialect(): Dialect {
    return new Dialect(this.mapping);
  }

  queueOn(database: Knex): Queue {
    return new Queue(database, capturesOf(this.mapping));
  }

  isOutage(error: unknown): boolean {
    return isMysqlOutage(error);
  }

  async missingTables(database: Knex): Promise<readonly string[]> {
    const tables = this.mapping.captures.map(({ table }) => table);
    const rows = await queryRows<{ name: string }>(
      database,
      `select table_name as name from information_schema.tables where table_schema = database() and table_name in (${tables.map(text).join(', ')})`,
    );
    const names = new Set(rows.map(({ name }) => name));
    return tables.filter((table) => !names.has(table));
  }

  identity(database: Knex) {
    return mysqlIdentity(database);
  }

  async captureState(database: Knex, dialect: Dialect) {
    return captureState(database, this.mapping, await dialect.refresh(database));
  }

  check(database: Knex) {
    return checkMapping(database, this.written);
  }

  protected open(): Knex {
    return openMysql(this.url, {
      name: 'blog-read-api',
      connections: [0, 1],
      statementSeconds: MAX_CHECK_SECONDS,
      lockSeconds: 1,
    });
  }

  protected session(name: string, isForOneSession: boolean) {
    return new MysqlWorkerConnection(this.url, name, isForOneSession);
  }

  protected async install(database: Knex, print: Print): Promise<Installed> {
    if ((await ownFacts(database)).storage === null) {
      print(
        'Change capture: this user lacks the permission PROCESS, so a TRUNCATE on MariaDB is noticed only when the worker reconciles.',
      );
    }
    const { isProcedureNew, ...installed } = await installCapture(database, this.mapping);
    const { user, database: name } = await accountOf(database);
    if (installed.triggers === 0 && !installed.hasOthers) print('Change capture: up to date.');
    else
      print(`Change capture: its triggers run as ${user}, so keep this user, also where a copy is restored.`);
    const [grant] = grants({ [FACTS_PROCEDURE]: ['execute'] }, name, "the sync worker's user");
    if (isProcedureNew) print(`Change capture: now ${grant}.`);
    return installed;
  }

  protected statements(database: Knex): Promise<readonly string[]> {
    return explainCapture(database, this.mapping);
  }

  protected async grants(database: Knex): Promise<readonly string[]> {
    return grants(workerRights(this.mapping), (await accountOf(database)).database, 'sync_worker');
  }

  protected uninstall(database: Knex): Promise<void> {
    return removeCapture(database);
  }

  protected keyTable() {
    return keyTable(this.written.hasManagedKeys ? MANAGED_KEYS : KEYS_OF_THE_REFERENCE, this.mapping);
  }

  protected override described(error: unknown): unknown {
    const { code, message } = error as { code?: string; message?: string };
    if (code === 'ER_BINLOG_CREATE_ROUTINE_NEED_SUPER') {
      return new Error(
        'The server writes a binary log, so only an administrator may create triggers: set log_bin_trust_function_creators = 1, or run this command as an administrator.',
      );
    }
    return code === undefined ? error : new Error(`WRITE_DATABASE_URL: ${message}`, { cause: error });
  }
}
