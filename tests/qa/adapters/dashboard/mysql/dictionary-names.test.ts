import { expect } from 'chai';
import type { Knex } from 'knex';
import type { Captures } from '../../../../../src/adapters/dashboard/mapping/dashboard-mapping.js';
import { installCapture } from '../../../../../src/adapters/dashboard/mysql/capture/capture.js';
import { captureState } from '../../../../../src/adapters/dashboard/mysql/capture/capture-state.js';
import {
  mappingWith,
  openMysqlDashboard,
  tablesAreSettled,
} from '../../../../support/dashboards/mysql-dashboard.js';
import { createTestMariaDbDatabase } from '../../../support/servers/test-mariadb.js';

const NAME = 'my-shop_ä';
const TABLES = [
  'create table `my-posts` (id int primary key)',
  'create table `größen` (id int primary key)',
  `create table parted (id int primary key)
    partition by range (id) (partition low values less than (10), partition high values less than maxvalue)`,
  'create table other (id int primary key)',
  'insert into parted values (1), (20)',
];
const CAPTURES: Captures = {
  'my-posts': { blogs: 'id' },
  größen: { tags: 'id' },
  parted: { categories: 'id' },
};

const MAPPING = mappingWith(CAPTURES, 'select id from `my-posts`');

describe('The change capture in MariaDB, with names that no file can have, and with partitions,', () => {
  let database: Knex;

  before(async function () {
    const url = new URL(await createTestMariaDbDatabase(this));
    const maker = openMysqlDashboard(url.href);
    await maker.raw(`create database \`${NAME}\``).finally(() => maker.destroy());
    url.pathname = `/${encodeURIComponent(NAME)}`;
    database = openMysqlDashboard(url.href);
    for (const table of TABLES) await database.raw(table);
    await installCapture(database, MAPPING);
  });

  after(async () => {
    await database?.raw(`drop database \`${NAME}\``);
    await database?.destroy();
  });

  for (const [statement, table] of [
    ['truncate `my-posts`', 'my-posts'],
    ['truncate `größen`', 'größen'],
    ['alter table parted truncate partition low', 'parted'],
    ['alter table parted exchange partition high with table other', 'parted'],
  ] as const) {
    it(`detects: ${statement}`, async () => {
      const storage = async () => (await captureState(database, MAPPING)).seen;
      await tablesAreSettled(database);
      const before = await storage();
      expect(await storage()).to.eql(before);
      await database.raw(statement);
      const seen = await storage();
      expect(Object.keys(before).filter((each) => seen[each] !== before[each])).to.eql([table]);
    });
  }
});
