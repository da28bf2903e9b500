import { expect } from 'chai';
import type { Knex } from 'knex';
import * as mocha from 'mocha';
import { MysqlChangeFeed } from '../../../src/adapters/dashboard/mysql/change-feed.js';
import { Dialect } from '../../../src/adapters/dashboard/mysql/dialect.js';
import { MysqlWorkerConnection } from '../../../src/adapters/dashboard/mysql/server.js';
import { changeFeedContract } from '../../../src/contracts/change-feed.contract.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import { aTag } from '../../../src/contracts/support/rows.js';
import type { Change } from '../../../src/domain/model/job.js';
import type { RowKind } from '../../../src/domain/model/read-model.js';
import { putIntoDashboard } from '../../support/dashboards/dashboard-rows.js';
import {
  captureMysql,
  createMysqlDashboard,
  MYSQL_CAPTURES,
  MYSQL_MAPPING,
  openMysqlDashboard,
} from '../../support/dashboards/mysql-dashboard.js';

const EMPTY = 'delete from content_sync_changes';

describe('On MariaDB,', () => {
  let dashboard: Knex;
  let worker: MysqlWorkerConnection;

  before(async function () {
    const url = await createMysqlDashboard(this);
    dashboard = openMysqlDashboard(url);
    await captureMysql(dashboard);
    await putIntoDashboard(
      dashboard,
      'tags',
      aTag({ id: 'first', organizationId: 'org_a', websiteId: 'web_a' }),
    );
    worker = new MysqlWorkerConnection(url, 'test');
  });

  after(async () => {
    await worker?.close();
    await dashboard?.destroy();
  });

  const ofWebsite = (id: string) => ({ id, website_id: 'web_a', slug: id });
  const rows: Readonly<Record<Exclude<Change['kind'], 'everything'>, (id: string) => [string, object]>> = {
    apiKeys: (id) => ['api_keys', { id, organization_id: 'org_a', key_hash: id }],
    blogs: (id) => [
      'blogs',
      {
        ...ofWebsite(id),
        title: id,
        content_html: '',
        status: 'published',
        published_at: '2024-05-06 07:08:09',
      },
    ],
    categories: (id) => ['categories', { ...ofWebsite(id), name: id }],
    tags: (id) => ['tags', { ...ofWebsite(id), name: id }],
    websites: (id) => ['websites', { id, organization_id: 'org_a', name: id }],
    organizations: (id) => ['organizations', { id, name: id }],
  };
  const add = async (kind: RowKind | 'websites' | 'organizations') => {
    const id = freshId(kind);
    const [table, row] = rows[kind](id);
    await dashboard(table).insert(row);
    return id;
  };
  const rename = async (id: string, title: string) => {
    await dashboard('blogs').where({ id }).update({ title });
  };
  const makeSubject = async () => {
    await dashboard.raw(EMPTY);
    return new MysqlChangeFeed(worker.database, new Dialect(MYSQL_MAPPING), MYSQL_CAPTURES);
  };

  changeFeedContract(mocha, MysqlChangeFeed, async () => ({
    subject: await makeSubject(),
    add,
    rename,
    remove: async (id) => void (await dashboard('blogs').where({ id }).delete()),
    changeEverything: async () => {
      await dashboard.raw(
        `insert into content_sync_changes (id, kind, entity_key, at) values (uuid_short(), 'everything', null, now(6))`,
      );
    },
  }));

  describe('MysqlChangeFeed', () => {
    let feed: MysqlChangeFeed;

    beforeEach(async () => {
      feed = await makeSubject();
    });

    const changes = () => feed.read(100, async (seen) => seen);

    it('finds the changes of a long transaction when it commits, even if newer changes were acknowledged', async () => {
      const [slow, fast] = [await add('blogs'), await add('blogs')];
      await feed.acknowledge(await changes());
      const long = await dashboard.transaction();
      await long('blogs').where({ id: slow }).update({ title: 'late' });
      await rename(fast, 'early');
      const early = await changes();
      expect(early.map(({ key }) => key)).to.deep.equal([fast]);
      await feed.acknowledge(early);
      expect(await changes()).to.deep.equal([]);
      await long.commit();
      const late = await changes();
      expect(late.map(({ key }) => key)).to.deep.equal([slow]);
      expect(BigInt(late[0]?.id ?? 0) < BigInt(early[0]?.id ?? 0)).to.equal(true);
      const found = await feed.read(100, async (_, source) => (await source.read('blogs', [slow])).rows);
      expect(found.map(({ title }) => title)).to.deep.equal(['late']);
    });

    it('has new changes when a long transaction commits after a younger one was acknowledged', async () => {
      const [slow, fast] = [await add('blogs'), await add('blogs')];
      await feed.acknowledge(await changes());
      const long = await dashboard.transaction();
      await long('blogs').where({ id: slow }).update({ title: 'late' });
      await rename(fast, 'early');
      await feed.acknowledge(await changes());
      await feed.hasNew();
      await long.commit();
      await eventually(async () => expect(await feed.hasNew()).to.equal(true), 5_000);
    });

    it('never shows what is rolled back', async () => {
      const undone = await dashboard.transaction();
      await undone('organizations').where({ id: 'org_a' }).update({ name: 'undone' });
      const kept = await add('tags');
      await undone.rollback();
      expect((await changes()).map(({ key }) => key)).to.deep.equal([kept]);
    });

    it('blocks no new change while it acknowledges others', async () => {
      await add('tags');
      const seen = await changes();
      const writing = await dashboard.transaction();
      await writing('organizations').where({ id: 'org_a' }).update({ name: 'meanwhile' });
      await feed.acknowledge(seen);
      await writing.commit();
      expect((await changes()).map(({ key }) => key)).to.deep.equal(['org_a']);
    });

    it('treats a change of an unknown kind or without its key as a change of everything', async () => {
      await dashboard.raw(`
        insert into content_sync_changes (id, kind, entity_key, at)
        values (uuid_short(), 'comments', 'x', now(6)), (uuid_short(), 'blogs', null, now(6))`);
      const known = await add('blogs');
      const seen = (await changes()).map(({ kind, key }) => `${kind} ${key}`);
      expect(seen).to.deep.equal(['everything null', 'everything null', `blogs ${known}`]);
    });
  });
});
