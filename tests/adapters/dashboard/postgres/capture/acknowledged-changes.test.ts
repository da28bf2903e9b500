import { expect } from 'chai';
import { Queue } from '../../../../../src/adapters/dashboard/postgres/queue.js';
import type { MappedTables } from '../../../../../src/adapters/dashboard/postgres/read/mapped-tables.js';
import type { MappedChangeFeed } from '../../../../../src/adapters/dashboard/source/mapped-change-feed.js';
import type { Change } from '../../../../../src/domain/model/job.js';
import { startCapturedDashboard } from '../../../../support/dashboards/captured-changes.js';
import type { DashboardUnderTest } from '../../../../support/dashboards/dashboard-under-test.js';
import { referenceFeed } from '../../../../support/dashboards/reference-mapping.js';

describe('Acknowledged changes', () => {
  let dashboard: DashboardUnderTest;
  let feed: MappedChangeFeed<MappedTables>;

  before(async () => {
    dashboard = await startCapturedDashboard();
    await dashboard.putOwners();
  });
  beforeEach(async () => {
    feed = referenceFeed(dashboard.database);
    await dashboard.database.raw(
      'delete from content_sync.change_queue; delete from content_sync.acknowledged_changes',
    );
  });
  after(() => dashboard?.stop());

  const waiting = () =>
    feed.read(100, async (changes: readonly Change[]) => changes.map(({ kind, key }) => `${kind} ${key}`));
  const acknowledgeAll = () =>
    feed.read(100, async (changes) => changes).then((changes) => feed.acknowledge(changes));
  const kept = () => dashboard.database('content_sync.acknowledged_changes').orderBy('id').pluck('key');

  it('are replayed on request, those of API keys before all others', async () => {
    await dashboard.putBlog({ id: 'replayed' });
    await dashboard.database('blogs').where({ id: 'replayed' }).update({ title: 'New' });
    await acknowledgeAll();
    await dashboard.putKey({ id: 'key' });
    await acknowledgeAll();
    expect(await waiting()).to.eql([]);

    expect(await new Queue(dashboard.database).replay(3600)).to.equal(2);
    expect(await waiting()).to.eql(['apiKeys key']);
    await acknowledgeAll();
    expect(await waiting()).to.eql(['blogs replayed']);
  });

  it('are queued again only once, however often a replay is requested while they wait', async () => {
    await dashboard.putBlog({ id: 'one' });
    await dashboard.database.raw('truncate blog_tags');
    await acknowledgeAll();
    await dashboard.putBlog({ id: 'two' });
    await dashboard.database('blogs').where({ id: 'one' }).update({ title: 'New' });

    expect(await new Queue(dashboard.database).replay(3600)).to.equal(1);
    expect(await new Queue(dashboard.database).replay(3600)).to.equal(0);
    expect(await waiting()).to.eql(['blogs two', 'blogs one', 'everything null']);
  });

  it('are not replayed if they were acknowledged before the requested time', async () => {
    await dashboard.putBlog({ id: 'old' });
    await acknowledgeAll();
    await dashboard.database.raw(
      `update content_sync.acknowledged_changes set acknowledged_at = acknowledged_at - interval '2 hours'`,
    );
    expect(await new Queue(dashboard.database).replay(3600)).to.equal(0);
    expect(await new Queue(dashboard.database).replay(3 * 3600)).to.equal(1);
  });

  it('are deleted after six hours, or earlier if there are more than half a million', async () => {
    await dashboard.putBlog({ id: 'last' });
    await acknowledgeAll();
    await dashboard.database.raw(`
      insert into content_sync.acknowledged_changes (id, kind, key, acknowledged_at) overriding system value values
        (-900000, 'blogs', 'too many', clock_timestamp()), (-3, 'blogs', 'old', clock_timestamp() - interval '7 hours'),
        (-2, 'blogs', 'young', clock_timestamp() - interval '5 hours')`);
    // Old rows are deleted at random, on some of the calls.
    await dashboard.database.raw(
      `select setseed(0); select content_sync.acknowledge('{}') from generate_series(1, 2000)`,
    );
    expect(await kept()).to.eql(['young', 'last']);
  });
});
