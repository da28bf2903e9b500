import { expect } from 'chai';
import type { Knex } from 'knex';
import * as mocha from 'mocha';
import { MappedChangeFeed } from '../../src/adapters/dashboard/source/mapped-change-feed.js';
import { connectWorker } from '../../src/adapters/sql/postgres/connect-worker.js';
import type { WorkerConnection } from '../../src/adapters/sql/worker-connection.js';
import { changeFeedContract } from '../../src/contracts/dashboard/change-feed.contract.js';
import { MemoryChangeFeed } from '../../src/contracts/fakes/memory-change-feed.js';
import { MemoryContentSource } from '../../src/contracts/fakes/memory-content-source.js';
import { freshId } from '../../src/contracts/support/fresh-id.js';
import { aKey, aTag } from '../../src/contracts/support/rows.js';
import { aSourceBlog, aSourceCategory } from '../../src/contracts/support/source-rows.js';
import type { Change } from '../../src/domain/model/job.js';
import { startCapturedDashboard } from '../support/dashboards/captured-changes.js';
import { changeFeedCases } from '../support/dashboards/change-feed-cases.js';
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
    worker = connectWorker(dashboard.url, 'test');
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

  const add = async (kind: Exclude<Change['kind'], 'everything'>) => {
    const id = freshId(kind);
    await insert[kind](id);
    return id;
  };

  changeFeedContract(mocha, MappedChangeFeed, async () => ({
    subject: await makeSubject(),
    add,
    rename,
    remove: async (id) => void (await dashboard.database('blogs').where({ id }).delete()),
    changeEverything: () => dashboard.database.raw('truncate blog_tags'),
  }));

  describe('The queue in PostgreSQL', () => {
    let feed: MappedChangeFeed;

    beforeEach(async () => {
      feed = await makeSubject();
    });

    const changes = async () =>
      (await feed.read(100, async (seen) => seen)).toSorted((one, other) =>
        Number(BigInt(one.id) - BigInt(other.id)),
      );
    const changedKeys = async () => (await changes()).map(({ key }) => key);
    const note = async (on: Knex, kind: string, ...keys: readonly (string | null)[]) => {
      await on.raw(
        'insert into content_sync.change_queue (kind, key) select :kind, key from unnest(:keys::text[]) as key',
        { kind, keys },
      );
    };

    const refuse = () =>
      dashboard.database.raw(`
        create function refuse() returns trigger language plpgsql as
          $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$;
        create trigger refuse before insert on content_sync.change_queue execute function refuse()`);
    const accept = () => dashboard.database.raw('drop function if exists refuse cascade');
    afterEach(accept);

    changeFeedCases(async () => ({ feed, database: dashboard.database, add, note, refuse, accept }));

    it('finds a prepared transaction that is committed after much newer changes were acknowledged', async () => {
      await dashboard.database.raw(
        `begin; insert into content_sync.change_queue (kind, key) values ('tags', 'prepared'); prepare transaction 'late'`,
      );
      await note(dashboard.database, 'tags', 'one', 'two', 'three');
      await feed.acknowledge(await changes());
      await dashboard.database.raw(`commit prepared 'late'`);
      expect(await changedKeys()).to.eql(['prepared']);
    });

    it('acknowledges each change separately if ids are larger than a double represents exactly', async () => {
      await dashboard.database.raw(
        'alter table content_sync.change_queue alter column id restart with 9007199254740993',
      );
      await note(dashboard.database, 'tags', 'one', 'two', 'three');
      const seen = await changes();
      const queue = referenceFeed(dashboard.database);
      expect(seen.map(({ id }) => id)).to.deep.equal([
        '9007199254740993',
        '9007199254740994',
        '9007199254740995',
      ]);
      expect(await queue.newest()).to.equal(9_007_199_254_740_995n);
      await feed.acknowledge(seen.slice(0, 1));
      expect(await changedKeys()).to.deep.equal(['two', 'three']);
      expect(await queue.oldest(9_007_199_254_740_993n)).to.equal(9_007_199_254_740_994n);
      await feed.acknowledge(seen.slice(1));
      expect(await changes()).to.deep.equal([]);
    });
  });
});
