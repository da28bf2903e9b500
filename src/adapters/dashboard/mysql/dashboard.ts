import type { Knex } from 'knex';
import type { KeyHasher } from '../../../domain/ports/system/key-hasher.js';
import { capturesOf, type DashboardMapping } from '../mapping/dashboard-mapping.js';
import { type Installed, MappedDashboard, type Print, type Server } from '../source/mapped-dashboard.js';
import { explainCapture, installCapture, removeCapture } from './capture/capture.js';
import { FACTS_PROCEDURE, installedFor, ownFacts } from './capture/capture-facts.js';
import { captureState } from './capture/capture-state.js';
import { PREFIX } from './capture/note-function.js';
import { checkMapping } from './checks/check-mapping.js';
import { tablesOfWorker } from './checks/tables-in.js';
import { MysqlWorkerConnection, openMysql } from './connection.js';
import { Dialect } from './dialect.js';
import { mysqlIdentity } from './identity.js';
import { CREATE_MANAGED_KEYS, MANAGED_KEYS } from './key-table.js';
import { Queue } from './queue.js';
import { isMysqlOutage, queryRow, queryRows } from './read/query-rows.js';
import { literal, quoted } from './read/quoted.js';

/** A dashboard with a MySQL or MariaDB database. */
export class MysqlDashboard extends MappedDashboard<Dialect> {
  protected readonly createKeys = CREATE_MANAGED_KEYS;
  readonly isBehindPooler = null;

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
      `select table_name as name from information_schema.tables where table_schema = database() and table_name in (${tables.map(literal).join(', ')})`,
    );
    const names = new Set(rows.map((row) => row.name));
    return tables.filter((table) => !names.has(table));
  }

  async server(database: Knex): Promise<Server> {
    const { version } = await queryRow<{ version: string }>(database, 'select version() as version');
    const product = version.includes('MariaDB') ? 'MariaDB' : 'MySQL';
    return { product, version: version.split('-')[0] ?? '' };
  }

  identity(database: Knex) {
    return mysqlIdentity(database);
  }

  protected installedFor(database: Knex): Promise<string> {
    return installedFor(database);
  }

  captureState(database: Knex) {
    return captureState(database, this.mapping);
  }

  check(database: Knex) {
    return checkMapping(database, this.written);
  }

  protected open(): Knex {
    return openMysql(this.url);
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
    const installed = await installCapture(database, this.mapping);
    if (installed.triggers === 0 && !installed.hasOthers) {
      print('Change capture: up to date.');
      return installed;
    }
    const { user } = await queryRow<{ user: string }>(database, 'select current_user() as user');
    print(`Change capture: its triggers run as ${user}, so keep this user, also where a copy is restored.`);
    print(`Change capture: now ${(await this.grants(database)).at(-1)}.`);
    return installed;
  }

  protected statements(database: Knex): Promise<readonly string[]> {
    return explainCapture(database, this.mapping);
  }

  protected async grants(database: Knex): Promise<readonly string[]> {
    const { schema } = await queryRow<{ schema: string }>(database, 'select database() as `schema`');
    const to = (what: string) => `${quoted(schema)}.${quoted(what)} to sync_worker`;
    const tables = [...(await tablesOfWorker(database, this.mapping)), `${PREFIX}identity`];
    return [
      ...tables.map((table) => `grant select on ${to(table)}`),
      `grant select, insert, delete on ${to(`${PREFIX}changes`)}`,
      `grant execute on procedure ${to(FACTS_PROCEDURE)}`,
    ];
  }

  protected uninstall(database: Knex): Promise<void> {
    return removeCapture(database);
  }
}
