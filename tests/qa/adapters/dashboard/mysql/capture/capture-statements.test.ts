import { expect } from 'chai';
import type { Knex } from 'knex';
import {
  CAPTURED_ROWS,
  CAPTURED_STATEMENTS,
  type CapturedStatements,
} from '../../../../../support/dashboards/captured-statements.js';
import { captureMysql, sharedMysqlDashboard } from '../../../../../support/dashboards/mysql-dashboard.js';

const VALUES = `insert into tags (id, website_id, name, slug) values ('sky', 'web_a', 'Sky', 'sky'), ('red', 'web_a', 'New', 'red')`;

/** What only MariaDB and MySQL have. */
const STATEMENTS: CapturedStatements = {
  'a REPLACE': [VALUES.replace('insert', 'replace'), 'blogs one', 'tags red', 'tags sky'],
  'an INSERT that updates an existing row': [
    `${VALUES} on duplicate key update name = 'Newer'`,
    'tags red',
    'tags sky',
  ],
  'an INSERT that skips an existing row': [VALUES.replace('into', 'ignore into'), 'tags sky'],
  'an UPDATE of two tables': [
    `update blogs join blog_tags on blog_id = id set title = 'New', tag_id = 'sea'`,
    'blogs one',
  ],
  // Their foreign keys lead from there to the links.
  'everything that is deleted with a website': [
    `delete from websites where id = 'web_a'`,
    ...['everything', 'websites web_a'],
  ],
  'everything that is deleted with an organization, on all levels': [
    `delete from organizations where id = 'org_a'`,
    ...['api_keys key_a', 'everything', 'organizations org_a'],
  ],
};

describe('The change capture in MariaDB queues', () => {
  let transaction: Knex.Transaction;
  const database = sharedMysqlDashboard(async (opened) => {
    await captureMysql(opened);
    for (const statement of CAPTURED_ROWS) await opened.raw(statement);
    await opened.raw('delete from content_sync_changes');
  });

  // Each test is rolled back, so that all of them begin with the same rows.
  beforeEach(async () => {
    transaction = await database().transaction();
  });
  afterEach(() => transaction?.rollback());

  for (const [what, [sql, ...changes]] of Object.entries({ ...CAPTURED_STATEMENTS, ...STATEMENTS })) {
    it(`${changes.length === 0 ? 'nothing for ' : ''}${what}`, async () => {
      for (const statement of sql.split(/;\s*/)) await transaction.raw(statement);
      const [rows] = await transaction.raw(
        `select distinct concat_ws(' ', kind, entity_key) as queued from content_sync_changes order by 1`,
      );
      expect((rows as { queued: string }[]).map(({ queued }) => queued)).to.eql(changes);
    });
  }
});
