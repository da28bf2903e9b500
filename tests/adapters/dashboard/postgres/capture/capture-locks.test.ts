import { expect } from 'chai';
import type { Knex } from 'knex';
import { dashboardOf } from '../../../../../src/composition/dashboard-of.js';
import { eventually } from '../../../../../src/contracts/support/eventually.js';
import { migrate } from '../../../../../src/programs/migrate/migrate.js';
import {
  changesOf,
  repairCapture,
  startCapturedDashboard,
} from '../../../../support/dashboards/captured-changes.js';
import { DashboardUnderTest } from '../../../../support/dashboards/dashboard-under-test.js';
import { createTestDatabase } from '../../../../support/postgres/test-postgres.js';

const IN_USE = /in use by a long transaction\. .* run this command again/;

describe('npm run migrate, during a long transaction of the dashboard,', () => {
  let dashboard: DashboardUnderTest;
  let long: Knex.Transaction;

  const waiting = async () => {
    const { rows } = await dashboard.database.raw(`
      select count(*)::int as locks from pg_locks where not granted and database =
        (select oid from pg_database where datname = current_database())`);
    return rows[0].locks as number;
  };
  const expectWaiting = (isWaiting: boolean) =>
    eventually(async () => expect((await waiting()) > 0).to.equal(isWaiting));
  const begin = async (started: DashboardUnderTest) => {
    dashboard = started;
    await dashboard.putOwners();
    await dashboard.putBlog({ id: 'one' });
    await dashboard.putKey({ id: 'key_a' });
    long = await dashboard.database.transaction();
    await long.raw(`update blogs set title = 'Long'`);
  };

  afterEach(async () => {
    if (!long.isCompleted()) await long.rollback();
    await dashboard.stop();
  });

  it('gives up with an explanation, and continues from there when it runs again', async () => {
    await begin(await DashboardUnderTest.start());
    const urls = { readDatabaseUrl: await createTestDatabase(), writeDatabaseUrl: dashboard.url };
    const printed: string[] = [];
    const failure = migrate(urls, () => {}).catch((error: unknown) => error);
    await expectWaiting(true);
    // There is neither a deadlock nor a long wait: writers come first.
    await long.raw(`set local lock_timeout = '400ms'; update api_keys set name = 'Long'`);
    await dashboard.database.raw(`set lock_timeout = '2s'; update blogs set title = 'Short' where false`);

    expect(String(await failure))
      .to.match(IN_USE)
      .and.to.contain('public.blogs');
    await long.commit();
    await migrate(urls, (text) => printed.push(text));
    expect(printed.at(-1)).to.equal('Change capture: installed 20 triggers; everything is read again.');
  });

  it('--remove-capture gives up in the same way, and removes the rest when it runs again', async () => {
    await begin(await startCapturedDashboard());

    const failure = dashboardOf({ writeDatabaseUrl: dashboard.url })
      .removeCapture(() => {})
      .catch((error: unknown) => error);
    expect(String(await failure))
      .to.match(IN_USE)
      .and.to.contain('blogs');
    await long.commit();
    await dashboardOf({ writeDatabaseUrl: dashboard.url }).removeCapture(() => {});
    await dashboard.database.raw(`update blogs set title = 'New'`);
  });

  it('waits for a transaction that lasts only little longer than the lock timeout', async () => {
    await begin(await startCapturedDashboard());
    await dashboard.database.raw('alter table tags disable trigger content_sync_insert');
    await long.raw('lock table tags in row exclusive mode');

    const repaired = repairCapture(dashboard.database);
    await expectWaiting(true);
    await expectWaiting(false);
    await long.commit();
    expect(await repaired).to.equal(1);
    const insert = `insert into tags (id, website_id, name, slug) values ('red', 'web_a', 'Red', 'red')`;
    expect(await changesOf(dashboard.database, () => dashboard.database.raw(insert))).to.eql(['tags red']);
  });
});
