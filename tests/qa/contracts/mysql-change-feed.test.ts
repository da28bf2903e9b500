import type { Knex } from 'knex';
import * as mocha from 'mocha';
import { MYSQL_ENGINE } from '../../../src/adapters/dashboard/mysql/engine.js';
import { MappedChangeFeed } from '../../../src/adapters/dashboard/source/mapped-change-feed.js';
import { SourceReader } from '../../../src/adapters/dashboard/source/source-reader.js';
import { connectMysqlWorker } from '../../../src/adapters/sql/mysql/open-mysql.js';
import type { WorkerConnection } from '../../../src/adapters/sql/worker-connection.js';
import { changeFeedContract } from '../../../src/contracts/dashboard/change-feed.contract.js';
import { freshId } from '../../../src/contracts/support/fresh-id.js';
import { aTag } from '../../../src/contracts/support/rows.js';
import type { Change } from '../../../src/domain/model/job.js';
import type { RowKind } from '../../../src/domain/model/read-model.js';
import { changeFeedCases } from '../../support/dashboards/change-feed-cases.js';
import { putIntoDashboard } from '../../support/dashboards/dashboard-rows.js';
import {
  captureMysql,
  createMysqlDashboard,
  MYSQL_MAPPING,
  openMysqlDashboard,
} from '../../support/dashboards/mysql-dashboard.js';

const EMPTY = 'delete from content_sync_changes';

describe('On MariaDB,', () => {
  let dashboard: Knex;
  let worker: WorkerConnection;

  before(async function () {
    const url = await createMysqlDashboard(this);
    dashboard = openMysqlDashboard(url);
    await captureMysql(dashboard);
    await putIntoDashboard(
      dashboard,
      'tags',
      aTag({ id: 'first', organizationId: 'org_a', websiteId: 'web_a' }),
    );
    worker = connectMysqlWorker(url, 'test', false);
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
  const note = async (on: Knex, kind: string, ...keys: readonly (string | null)[]) => {
    for (let from = 0; from < keys.length; from += 1_000) {
      const some = keys.slice(from, from + 1_000);
      await on.raw(
        `insert into content_sync_changes (id, kind, entity_key, at) values ${some.map(() => '(uuid_short(), ?, ?, now(6))').join(', ')}`,
        some.flatMap((key) => [kind, key]) as string[],
      );
    }
  };
  const makeSubject = async () => {
    await dashboard.raw(EMPTY);
    const { database } = worker;
    const reader = new SourceReader(MYSQL_MAPPING, MYSQL_ENGINE);
    return new MappedChangeFeed(database, reader, MYSQL_ENGINE);
  };

  changeFeedContract(mocha, MappedChangeFeed, async () => ({
    subject: await makeSubject(),
    add,
    rename,
    remove: async (id) => void (await dashboard('blogs').where({ id }).delete()),
    changeEverything: () => note(dashboard, 'everything', null),
  }));

  describe('The queue in MariaDB', () => {
    const refuse = () =>
      dashboard.raw(`create trigger refuse before insert on content_sync_changes for each row
        signal sqlstate 'HY000' set mysql_errno = 1114`);
    const accept = () => dashboard.raw('drop trigger if exists refuse');
    afterEach(accept);

    changeFeedCases(async () => ({
      feed: await makeSubject(),
      database: dashboard,
      add,
      note,
      refuse,
      accept,
    }));
  });
});
