import { expect } from 'chai';
import {
  changesOf,
  startCapturedDashboard,
  waitingChanges,
} from '../../../../support/dashboards/captured-changes.js';
import type { DashboardUnderTest } from '../../../../support/dashboards/dashboard-under-test.js';

describe('The change capture', () => {
  let dashboard: DashboardUnderTest;

  const changes = (sql: string) => changesOf(dashboard.database, () => dashboard.database.raw(sql));

  before(async () => {
    dashboard = await startCapturedDashboard();
    await dashboard.putOwners();
    for (const id of ['one', 'two', 'three']) await dashboard.putBlog({ id });
    await dashboard.putKey({ id: 'key_a' });
  });
  after(() => dashboard?.stop());

  it('queues nothing that is rolled back to a savepoint, but everything else', async () => {
    const sql = `
      begin;
      update blogs set title = 'New' where id = 'one';
      savepoint here;
      update blogs set title = 'New' where id = 'two';
      rollback to savepoint here;
      savepoint there;
      update blogs set title = 'New' where id = 'three';
      release savepoint there;
      commit`;

    expect(await changes(sql)).to.eql(['blogs one', 'blogs three']);
  });

  it('queues both blogs if two slugs are swapped at the commit', async () => {
    const sql = `
      begin;
      set constraints all deferred;
      update blogs set slug = 'slug-of-two' where id = 'one';
      update blogs set slug = 'slug-of-one' where id = 'two';
      commit`;

    expect(await changes(sql)).to.eql(['blogs one', 'blogs two']);
  });

  it('queues prepared changes on COMMIT PREPARED, and nothing on ROLLBACK PREPARED', async () => {
    const prepare = `begin; update blogs set title = 'Prepared' where id = 'one'; prepare transaction 'ours'`;

    expect(await changes(prepare)).to.eql([]);
    expect(await changes(`commit prepared 'ours'`)).to.eql(['blogs one']);
    expect(await changes(prepare)).to.eql([]);
    expect(await changes(`rollback prepared 'ours'`)).to.eql([]);
  });

  it('queues writes, including TRUNCATE, in sessions in which ordinary triggers are disabled', async () => {
    const asReplica = (sql: string) => `begin; set local session_replication_role = replica; ${sql}; commit`;

    expect(await changes(asReplica(`insert into organizations (id, name) values ('org_c', 'C')`))).to.eql([
      'organizations org_c',
    ]);
    expect(await changes(asReplica(`update blogs set title = 'Newest' where id = 'one'`))).to.eql([
      'blogs one',
    ]);
    expect(await changes(asReplica(`delete from organizations where id = 'org_c'`))).to.eql([
      'organizations org_c',
    ]);
    expect(await changes(asReplica('truncate api_keys'))).to.eql(['api_keys', 'everything']);
  });

  it('makes no transaction wait for another one that writes other rows', async () => {
    const [first, second] = [await dashboard.database.transaction(), await dashboard.database.transaction()];
    await dashboard.database.raw('delete from content_sync.change_queue');
    await first.raw(`update blogs set title = 'First' where id = 'one'`);
    await second.raw(`set local lock_timeout = '1s'; update blogs set title = 'Second' where id = 'two'`);
    await second.commit();
    expect(await waitingChanges(dashboard.database)).to.eql(['blogs two']);
    await first.commit();

    // The older transaction commits last, and its change is found nevertheless.
    expect(await waitingChanges(dashboard.database)).to.eql(['blogs one', 'blogs two']);
  });
});
