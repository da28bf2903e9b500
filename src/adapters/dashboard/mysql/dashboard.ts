import type { KeyHasher } from '../../../domain/ports/key-hasher.js';
import type { KeyManager } from '../../../domain/ports/key-manager.js';
import type { DashboardEngine, Print } from '../dashboard-engine.js';
import { type DashboardMapping, withManagedKeys } from '../mapping/dashboard-mapping.js';
import { requireValidMapping } from '../mapping/mapping-findings.js';
import { DashboardKeys } from '../source/dashboard-keys.js';
import type { MappedConnection } from '../source/mapped-connection.js';
import { TableLocked } from '../source/table-locked.js';
import { explainCapture, installCapture, removeCapture } from './capture/capture.js';
import { FACTS_PROCEDURE, ownFacts } from './capture/capture-facts.js';
import { checkMapping } from './checks/check-mapping.js';
import { accountOf, grants, workerRights } from './checks/rights.js';
import { connectionOf } from './connection.js';
import { keyTable, MANAGED_KEYS } from './key-table.js';
import type { MappedTables } from './read/mapped-tables.js';
import { MysqlWorkerConnection, mysqlFacts, openMysql } from './server.js';

type Database = ReturnType<typeof openMysql>;

/** The check for duplicate keys scans a whole table. */
const MAX_CHECK_SECONDS = 300;
const KEYS_OF_THE_REFERENCE = 'api_keys';

/** A dashboard with a MySQL or MariaDB database. */
export class MysqlDashboard implements DashboardEngine {
  readonly mapping: DashboardMapping;

  constructor(
    readonly url: string,
    written: DashboardMapping,
    private readonly keyHasher: KeyHasher,
  ) {
    this.mapping = withManagedKeys(written, MANAGED_KEYS);
  }

  connect(name: string, isForOneSession = false): MappedConnection<MappedTables> {
    return connectionOf(new MysqlWorkerConnection(this.url, name, isForOneSession), this.mapping);
  }

  migrate(print: Print): Promise<void> {
    return this.#withDatabase(async (database) => {
      await requireRowsInBinlog(database);
      const facts = await ownFacts(database);
      requireValidMapping(await checkMapping(database, this.mapping), print);
      if (facts.storage === null) {
        print(
          'Change capture: this user lacks the permission PROCESS, so a TRUNCATE on MariaDB is noticed only when the worker reconciles.',
        );
      }
      const { triggers, isProcedureNew, isOther } = await installCapture(database, this.mapping);
      if (triggers === 0 && !isOther) return print('Change capture: up to date.');
      const what = triggers === 0 ? 'its mapping' : `${triggers} ${triggers === 1 ? 'trigger' : 'triggers'}`;
      print(`Change capture: installed ${what}; everything is read again.`);
      const { user, database: name } = await accountOf(database);
      print(`Change capture: its triggers run as ${user}, so keep this user, also where a copy is restored.`);
      if (!isProcedureNew) return;
      const [grant] = grants({ [FACTS_PROCEDURE]: ['execute'] }, name, "the sync worker's user");
      print(`Change capture: now ${grant}.`);
    });
  }

  explain(print: Print): Promise<void> {
    return this.#withDatabase(async (database) => {
      requireValidMapping(await checkMapping(database, this.mapping), print);
      for (const statement of await explainCapture(database, this.mapping)) print(`${statement};`);
      const { database: name } = await accountOf(database);
      print("-- Grants for the sync worker's user, to run after migrate. Replace sync_worker with its name:");
      for (const grant of grants(workerRights(this.mapping), name, 'sync_worker')) print(`${grant};`);
    });
  }

  removeCapture(print: Print): Promise<void> {
    return this.#withDatabase(async (database) => {
      await removeCapture(database);
      print(
        'Change capture: removed. What identifies this database stays, so that `migrate` can install it again.',
      );
    });
  }

  withKeys(work: (keyManager: KeyManager) => Promise<void>): Promise<void> {
    const table = this.#tableOfKeys();
    if (table === null) throw new Error('The dashboard itself creates and revokes its keys.');
    const keys = keyTable(table, this.mapping.selects);
    return this.#withDatabase((database) => work(new DashboardKeys(database, this.keyHasher, keys)));
  }

  /** Null: the dashboard creates its keys itself. */
  #tableOfKeys(): string | null {
    if (this.mapping.hasManagedKeys) return MANAGED_KEYS;
    const table = /\bfrom\s+`?([\w$]+)`?\s*$/i.exec(this.mapping.selects.api_keys ?? '')?.[1];
    return table === KEYS_OF_THE_REFERENCE ? table : null;
  }

  async #withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
    const database = openMysql(this.url, {
      name: 'blog-read-api',
      connections: [0, 1],
      connectTimeoutMs: 5_000,
      acquireTimeoutMs: 10_000,
      statementSeconds: MAX_CHECK_SECONDS,
      lockSeconds: 1,
    });
    try {
      await work(database);
    } catch (error) {
      throw describeError(error);
    } finally {
      await database.destroy();
    }
  }
}

/** With this format, InnoDB rejects all writes at the isolation level of our sessions. */
async function requireRowsInBinlog(database: Database): Promise<void> {
  const { writesBinlog, binlogFormat } = await mysqlFacts(database);
  if (!writesBinlog || binlogFormat !== 'STATEMENT') return;
  throw new Error(
    "The dashboard's server writes statements to its binary log (binlog_format = STATEMENT), so the worker cannot empty its queue: set " +
      'binlog_format to ROW or MIXED. Nothing was created.',
  );
}

function describeError(error: unknown): unknown {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'ER_BINLOG_CREATE_ROUTINE_NEED_SUPER') {
    return new Error(
      'The server writes a binary log, so only an administrator may create triggers: set log_bin_trust_function_creators = 1, or run this command as an administrator.',
    );
  }
  if (error instanceof TableLocked) return error.described('SHOW PROCESSLIST');
  return code === undefined ? error : new Error(`WRITE_DATABASE_URL: ${message}`, { cause: error });
}
