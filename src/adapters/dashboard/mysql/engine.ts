import type { Knex } from 'knex';
import { faultOf, means, reasonIn } from '../../sql/mysql/fault-of.js';
import {
  connectMysqlWorker,
  openMysql,
  statementLimit,
  WORKER_STATEMENT_SECONDS,
} from '../../sql/mysql/open-mysql.js';
import { queryRow, queryRows } from '../../sql/mysql/query-rows.js';
import { mysqlIdentity, mysqlServer } from '../../sql/mysql/server-identity.js';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import type { Engine, Installed, Print } from '../source/engine.js';
import { explainCapture, installCapture, removeCapture } from './capture/capture.js';
import { existingTables, FACTS_PROCEDURE, installedFor, ownFacts } from './capture/capture-facts.js';
import { captureState } from './capture/capture-state.js';
import { PREFIX } from './capture/note-function.js';
import { keysFound } from './capture/noted-look-up.js';
import { deleteChanges, newestIn, oldestIn, runBriefly } from './capture/queue.js';
import { questionsOf } from './checks/mapping-questions.js';
import { tablesOfWorker } from './checks/tables-in.js';
import { describedSelect } from './read/described-select.js';
import { MappedTables } from './read/mapped-tables.js';
import { quoted } from './read/quoted.js';
import { WORDS } from './words.js';

export const MYSQL_ENGINE: Engine = {
  client: {
    open: (url) => openMysql(url),
    connect: connectMysqlWorker,
    query: queryRows,
    faultOf,
    means,
    reasonIn,
    server: mysqlServer,
    /** No pooler for MySQL gives the session of a worker to others. */
    sharesSessions: async () => false,
    identity: mysqlIdentity,
  },
  words: WORDS,
  read: {
    snapshotMode: { isolationLevel: 'repeatable read' },
    describe: describedSelect,
    tablesOf: (mapping, columnsOf) => new MappedTables(mapping, columnsOf),
    faultOf,
    isOutdated: (error) => means(error, 'tableChanged'),
    briefly,
    requireSameTables: async () => {},
  },
  capture: {
    installedFor,
    state: captureState,
    install: (database, mapping, _url, print) => install(database, mapping, print),
    explain: explainCapture,
    grants,
    remove: removeCapture,
    oldestIn,
    newestIn,
    delete: deleteChanges,
    keysFound,
    runBriefly,
  },
  checks: { missingTables, questionsOf },
};

async function briefly<Rows>(snapshot: Knex, read: () => Promise<Rows>): Promise<Rows> {
  await snapshot.raw(statementLimit(1));
  try {
    return await read();
  } finally {
    await snapshot.raw(statementLimit(WORKER_STATEMENT_SECONDS));
  }
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
