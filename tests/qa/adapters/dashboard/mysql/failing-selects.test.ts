import { expect } from 'chai';
import type { Knex } from 'knex';
import { dashboardOf } from '../../../../../src/composition/dashboard-of.js';
import { KindFails } from '../../../../../src/domain/errors.js';
import { createMysqlDashboard, openMysqlDashboard } from '../../../../support/dashboards/mysql-dashboard.js';

describe('A select of the mapping that fails in MariaDB', () => {
  let url: string;
  let database: Knex;

  before(async function () {
    url = await createMysqlDashboard(this);
    database = openMysqlDashboard(url);
    await dashboardOf({ writeDatabaseUrl: url }).migrate(() => {});
  });

  after(async () => {
    await database?.destroy();
  });

  it('is reported with its name and the cause, and keeps nothing else from being read', async () => {
    await database.raw('alter table blogs rename column title to headline');
    const connection = dashboardOf({ writeDatabaseUrl: url }).connect('test');
    try {
      await connection.requireTables();
      const failure = await connection.source.read('blogs', ['x']).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(KindFails);
      expect((failure as Error).message).to.match(/^blogs: the select fails: Unknown column .*title/);
      expect((await connection.source.read('apiKeys', ['x'])).refused).to.deep.equal([]);

      await database.raw('alter table blogs rename column headline to title');
      expect((await connection.captureState()).broken).to.deep.equal([]);
      expect((await connection.source.read('blogs', ['x'])).refused).to.deep.equal([]);
    } finally {
      await connection.close();
    }
  });

  it('is not called a missing table, and a missing table is', async () => {
    await database.raw('rename table blog_tags to no_tags');
    const connection = dashboardOf({ writeDatabaseUrl: url }).connect('test');
    const failure = await connection.requireTables().catch((error: unknown) => error);
    await connection.close();
    expect(String(failure)).to.match(/has no table blog_tags, or its user may not see it/);
  });
});
