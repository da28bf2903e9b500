import { expect } from 'chai';
import { DashboardChangeFeed } from '../../../src/adapters/dashboard/dashboard-change-feed.js';
import { startCapturedDashboard } from '../../support/captured-changes.js';
import type { DashboardUnderTest } from '../../support/dashboard-under-test.js';

describe('A change of a kind that this version does not know', () => {
  let dashboard: DashboardUnderTest;

  before(async () => {
    dashboard = await startCapturedDashboard();
    await dashboard.putOwners();
  });
  after(() => dashboard?.stop());

  it('is taken for a change of everything, and keeps no other from being taken', async () => {
    const feed = new DashboardChangeFeed(dashboard.database);
    await dashboard.database.raw(
      `delete from content_sync.change_queue; insert into content_sync.change_queue (kind, key) values ('authors', 'author')`,
    );
    await dashboard.putBlog({ id: 'blog' });

    const changes = await feed.look(100, async (seen) => seen);
    expect(changes.map(({ kind, key }) => ({ kind, key }))).to.deep.equal([
      { kind: 'everything', key: null },
      { kind: 'blogs', key: 'blog' },
    ]);
    await feed.forget(changes);
    expect(await feed.look(100, async (seen) => seen)).to.deep.equal([]);
  });
});
