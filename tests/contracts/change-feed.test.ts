import { expect } from 'chai';
import * as mocha from 'mocha';
import { newestChange, oldestChange } from '../../src/adapters/dashboard/postgres/capture/change-queue.js';
import { PostgresChangeFeed } from '../../src/adapters/dashboard/postgres/change-feed.js';
import { WorkerConnection } from '../../src/adapters/postgres/connection/worker-connection.js';
import { changeFeedContract } from '../../src/contracts/change-feed.contract.js';
import { MemoryChangeFeed } from '../../src/contracts/fakes/memory-change-feed.js';
import { MemoryContentSource } from '../../src/contracts/fakes/memory-content-source.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import { aKey, aTag } from '../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../src/contracts/support/source-rows.js';
import type { Change } from '../../src/domain/model/job.js';
import { startCapturedDashboard } from '../support/dashboards/captured-changes.js';
import type { DashboardUnderTest } from '../support/dashboards/dashboard-under-test.js';
import { referenceFeed } from '../support/dashboards/reference-mapping.js';

changeFeedContract(mocha, MemoryChangeFeed, async () => {
  const source = new MemoryContentSource();
  const feed = new MemoryChangeFeed(source);
  const putNew = (kind: Exclude<Change['kind'], 'everything'>, id: string) => {
    if (kind === 'apiKeys') source.put(kind, aKey({ id }));
    if (kind === 'categories') source.put(kind, aSourceCategory({ id }));
    if (kind === 'tags') source.put(kind, aTag({ id }));
    if (kind === 'blogs') source.put(kind, aSourceBlog({ id }));
  };
  return {
    subject: feed,
    add: async (kind) => {
      const id = freshId(kind);
      putNew(kind, id);
      feed.add(kind, id);
      return id;
    },
    rename: async (id, title) => {
      source.put('blogs', aSourceBlog({ id, title }));
      feed.add('blogs', id);
    },
    remove: async (id) => {
      source.remove('blogs', id);
      feed.add('blogs', id);
    },
    changeEverything: async () => feed.add('everything', null),
  };
});

describe('On PostgreSQL,', () => {
  let dashboard: DashboardUnderTest;
  let worker: WorkerConnection;

  before(async () => {
    dashboard = await startCapturedDashboard();
    await dashboard.putOwners();
    worker = new WorkerConnection(dashboard.url, 'test');
  });

  after(async () => {
    await worker.close();
    await dashboard.stop();
  });

  const insert: Readonly<Record<Exclude<Change['kind'], 'everything'>, (id: string) => Promise<void>>> = {
    apiKeys: (id) => dashboard.putKey({ id }),
    blogs: (id) => dashboard.putBlog({ id }),
    categories: (id) => dashboard.putTerm('categories', { id }),
    tags: (id) => dashboard.putTerm('tags', { id }),
    websites: async (id) => dashboard.database('websites').insert({ id, organization_id: 'org_a', name: '' }),
    organizations: async (id) => dashboard.database('organizations').insert({ id, name: '' }),
  };
  const rename = async (id: string, title: string) => {
    await dashboard.database('blogs').where({ id }).update({ title });
  };
  const makeSubject = async () => {
    await dashboard.database.raw('delete from content_sync.change_queue');
    return referenceFeed(worker.database);
  };

  changeFeedContract(mocha, PostgresChangeFeed, async () => ({
    subject: await makeSubject(),
    add: async (kind) => {
      const id = freshId(kind);
      await insert[kind](id);
      return id;
    },
    rename,
    remove: async (id) => void (await dashboard.database('blogs').where({ id }).delete()),
    changeEverything: () => dashboard.database.raw('truncate blog_tags'),
  }));

  describe('PostgresChangeFeed', () => {
    let feed: PostgresChangeFeed;

    beforeEach(async () => {
      feed = await makeSubject();
    });

    const changes = () => feed.read(100, async (seen) => seen);
    const changedKeys = async () => (await changes()).map(({ key }) => key);

    it('finds the changes of a long transaction when it commits, even if newer changes were acknowledged', async () => {
      const [slow, fast] = [freshId('blog'), freshId('blog')];
      await dashboard.putBlog({ id: slow });
      await dashboard.putBlog({ id: fast });
      await feed.acknowledge(await changes());
      const long = await dashboard.database.transaction();
      await long('blogs').where({ id: slow }).update({ title: 'late' });
      await rename(fast, 'early');
      const early = await changes();
      expect(early.map(({ key }) => key)).to.deep.equal([fast]);
      await feed.acknowledge(early);
      expect(await changes()).to.deep.equal([]);
      await long.commit();
      const late = await changes();
      expect(late.map(({ key }) => key)).to.deep.equal([slow]);
      expect(Number(late[0]?.id)).to.be.lessThan(Number(early[0]?.id));
      const titles = await feed.read(100, async (_, source) => (await source.read('blogs', [slow])).rows);
      expect(titles.map(({ title }) => title)).to.deep.equal(['late']);
    });

    it('acknowledges each change separately if ids are larger than a double represents exactly', async () => {
      await dashboard.database.raw(
        'alter table content_sync.change_queue alter column id restart with 9007199254740993',
      );
      const keys = [freshId('tag'), freshId('tag'), freshId('tag')];
      for (const id of keys) await dashboard.putTerm('tags', { id });
      const seen = await changes();
      expect(seen.map(({ id }) => id)).to.deep.equal([
        '9007199254740993',
        '9007199254740994',
        '9007199254740995',
      ]);
      expect(await newestChange(dashboard.database)).to.equal(9_007_199_254_740_995n);
      await feed.acknowledge(seen.slice(0, 1));
      expect(await changedKeys()).to.deep.equal(keys.slice(1));
      expect(await oldestChange(dashboard.database, 9_007_199_254_740_993n)).to.equal(9_007_199_254_740_994n);
      await feed.acknowledge(seen.slice(1));
      expect(await changes()).to.deep.equal([]);
    });

    it('never shows what is rolled back', async () => {
      const [kept, undone] = [freshId('tag'), freshId('tag')];
      const transaction = await dashboard.database.transaction();
      await transaction('organizations').where({ id: 'org_a' }).update({ name: 'undone' });
      await dashboard.putTerm('tags', { id: kept });
      expect(await changedKeys()).to.deep.equal([kept]);
      await transaction.rollback();
      await dashboard.refusalOf(
        `insert into tags (id, website_id, name, slug) values ('${undone}', 'gone', '', '')`,
      );
      expect(await changedKeys()).to.deep.equal([kept]);
    });

    it('shows fewer changes at once if their keys are too large together', async () => {
      await dashboard.database.raw(`
        insert into content_sync.change_queue (kind, key) select 'tags', n || repeat('x', 400000) from generate_series(1, 8) as n`);
      const seen: (string | null)[] = [];
      for (let some = await changes(); some.length > 0; some = await changes()) {
        expect(some.length).to.be.most(3);
        seen.push(...some.map(({ key }) => key?.[0] ?? null));
        await feed.acknowledge(some);
      }
      expect(seen).to.deep.equal(['1', '2', '3', '4', '5', '6', '7', '8']);
    });

    it('surveys nothing if more changes wait than can be held at once, in number or in bytes', async () => {
      const survey = () => feed.survey(async (seen) => seen?.length ?? null);
      const add = (key: string, upTo: number) =>
        dashboard.database.raw(
          `insert into content_sync.change_queue (kind, key) select 'tags', ${key} from generate_series(1, ${upTo}) as n`,
        );
      await add('n', 5_000);
      expect(await survey()).to.equal(5_000);
      await add('n', 1);
      expect(await survey()).to.equal(null);
      await dashboard.database.raw('delete from content_sync.change_queue');
      await add(`repeat('x', 400000)`, 8);
      expect(await survey()).to.equal(null);
    });

    it('treats a change of an unknown kind as a change of everything, and holds back no other change', async () => {
      await dashboard.database.raw(
        `delete from content_sync.change_queue; insert into content_sync.change_queue (kind, key) values ('comments', 'x')`,
      );
      await dashboard.putBlog({ id: 'known' });
      const seen = (await changes()).map(({ kind, key }) => `${kind} ${key}`);
      expect(seen).to.deep.equal(['everything null', 'blogs known']);
    });
  });
});
