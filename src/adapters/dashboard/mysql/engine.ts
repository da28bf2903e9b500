import type { Knex } from 'knex';
import { isUnencrypted } from '../../sql/is-unencrypted.js';
import { connectMysqlWorker, openMysql } from '../../sql/mysql/open-mysql.js';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import type { Engine, Installed, Print, Server } from '../source/engine.js';
import { explainCapture, installCapture, removeCapture } from './capture/capture.js';
import { FACTS_PROCEDURE, installedFor, ownFacts } from './capture/capture-facts.js';
import { captureState } from './capture/capture-state.js';
import { PREFIX } from './capture/note-function.js';
import { checkMapping } from './checks/check-mapping.js';
import { tablesOfWorker } from './checks/tables-in.js';
import { Dialect } from './dialect.js';
import { mysqlIdentity } from './identity.js';
import { CREATE_MANAGED_KEYS, MANAGED_KEYS } from './key-table.js';
import { Queue } from './queue.js';
import { existingTables, faultOf, isMariaDb, queryRow } from './read/query-rows.js';
import { quoted } from './read/quoted.js';

export const MYSQL_ENGINE: Engine = {
  managedKeys: MANAGED_KEYS,
  createKeys: CREATE_MANAGED_KEYS,
  open: (url) => openMysql(url),
  connect: (url, name, isForOneSession) => connectMysqlWorker(url, name, isForOneSession),
  dialectOf: (mapping) => new Dialect(mapping),
  queueOf: (database, dialect) => new Queue(database, dialect),
  faultOf,
  server,
  sharesSessions: null,
  identity: mysqlIdentity,
  missingTables,
  checkMapping,
  installedFor,
  captureState,
  install: (database, mapping, _url, print) => install(database, mapping, print),
  explainCapture,
  grants,
  removeCapture,
};

async function server(database: Knex): Promise<Server> {
  const { version } = await queryRow<{ version: string }>(database, 'select version() as version');
  const product = isMariaDb(version) ? 'MariaDB' : 'MySQL';
  return { product, version: version.split('-')[0] ?? '', isUnencrypted: await isUnencrypted(database) };
}

async function missingTables(database: Knex, { captures }: DashboardMapping): Promise<readonly string[]> {
  const tables = captures.map(({ table }) => table);
  const existing = await existingTables(database, tables);
  return tables.filter((table) => !existing.includes(table));
}

async function install(database: Knex, mapping: DashboardMapping, print: Print): Promise<Installed> {
  if ((await ownFacts(database)).storage === null) {
    print(
      'Change capture: this user lacks the permission PROCESS, so a TRUNCATE on MariaDB is noticed only when the worker reconciles.',
    );
  }
  const installed = await installCapture(database, mapping);
  if (installed.triggers === 0 && !installed.hasOthers) return installed;
  const { user } = await queryRow<{ user: string }>(database, 'select current_user() as user');
  print(`Change capture: its triggers run as ${user}, so keep this user, also where a copy is restored.`);
  print('Change capture: its procedure is new, so the worker needs its rights again (`migrate --grants`).');
  return installed;
}

async function grants(database: Knex, mapping: DashboardMapping, role: string): Promise<readonly string[]> {
  const { schema } = await queryRow<{ schema: string }>(database, 'select database() as `schema`');
  // `name`, or `name@host`.
  const user = role.split('@').map(quoted).join('@');
  const to = (what: string) => `${quoted(schema)}.${quoted(what)} to ${user}`;
  const tables = [...(await tablesOfWorker(database, mapping)), `${PREFIX}identity`];
  return [
    ...tables.map((table) => `grant select on ${to(table)}`),
    `grant select, insert, delete on ${to(`${PREFIX}changes`)}`,
    `grant execute on procedure ${to(FACTS_PROCEDURE)}`,
  ];
}
