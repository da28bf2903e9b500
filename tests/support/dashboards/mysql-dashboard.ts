import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { makeSchema } from '../../../src/adapters/dashboard/demo/make-schema.js';
import type {
  Captures,
  DashboardMapping,
} from '../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { readMapping } from '../../../src/adapters/dashboard/mapping/read-mapping.js';
import { installCapture } from '../../../src/adapters/dashboard/mysql/capture/capture.js';
import { MYSQL_ENGINE } from '../../../src/adapters/dashboard/mysql/engine.js';
import { MappedContentSource } from '../../../src/adapters/dashboard/source/mapped-content-source.js';
import { SourceReader } from '../../../src/adapters/dashboard/source/source-reader.js';
import { openMysql } from '../../../src/adapters/sql/mysql/open-mysql.js';
import { MYSQL_SCHEMA } from '../../../src/composition/project-folders.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { createTestMariaDbDatabase } from '../../qa/support/servers/test-mariadb.js';

const FOLDER = new URL('../../../db/dashboard/mysql/', import.meta.url);

export const MYSQL_MAPPING = readMapping(fileURLToPath(new URL('reference-mapping.yaml', FOLDER)));
export const MYSQL_CAPTURES = Object.fromEntries(
  MYSQL_MAPPING.captures.map(({ table, touches }) => [table, touches]),
);

/** A mapping with these captures that reads blogs by a select. */
export function mappingWith(captures: Captures, blogs: string): DashboardMapping {
  return {
    timeZone: null,
    hasManagedKeys: false,
    selects: { blogs } as DashboardMapping['selects'],
    captures: Object.entries(captures).map(([table, touches]) => ({ table, touches })),
  };
}

/** A new database with the reference schema for MySQL. Without a server for it, the tests are skipped. */
export async function createMysqlDashboard(context: Mocha.Context): Promise<string> {
  const url = await createTestMariaDbDatabase(context);
  await makeReferenceSchema(url);
  return url;
}

export async function makeReferenceSchema(url: string): Promise<void> {
  await makeSchema(url, MYSQL_SCHEMA);
}

/** Connects as an editor of the dashboard. */
export function openMysqlDashboard(url: string): Knex {
  return openMysql(url, { name: 'test', connections: [0, 4], statementSeconds: 30 });
}

export async function captureMysql(database: Knex): Promise<number> {
  return (await installCapture(database, MYSQL_MAPPING)).triggers;
}

export function sourceIn(database: Knex): MappedContentSource {
  return new MappedContentSource(database, new SourceReader(MYSQL_MAPPING, MYSQL_ENGINE));
}

/** The database of a new dashboard with the reference schema, which the tests of the surrounding `describe` share. */
export function sharedMysqlDashboard(
  prepare: (database: Knex) => Promise<unknown> = async () => {},
): () => Knex {
  let database: Knex;

  before(async function () {
    database = openMysqlDashboard(await createMysqlDashboard(this));
    await prepare(database);
  });

  after(async () => {
    await database?.destroy();
  });

  return () => database;
}

/** A look says of a table that was changed within the last second that it may change again. */
export function tablesAreSettled(database: Knex): Promise<void> {
  return eventually(async () => {
    const [[{ recent }]] = await database.raw(
      `select max(create_time) >= now() - interval 1 second as recent
       from information_schema.tables where table_schema = database()`,
    );
    if (Number(recent) !== 0) throw new Error('A table was changed within the last second');
  });
}
