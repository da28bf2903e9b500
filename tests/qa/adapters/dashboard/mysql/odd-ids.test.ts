import { expect } from 'chai';
import type { Scope } from '../../../../../src/domain/model/job.js';
import { migrate } from '../../../../../src/programs/migrate/migrate.js';
import { sharedMysqlDashboard, sourceIn } from '../../../../support/dashboards/mysql-dashboard.js';
import { oddIdCases } from '../../../../support/dashboards/odd-id-cases.js';
import { SettledSync } from '../../../../support/sync/settled-sync.js';
import { MysqlSyncedDatabases } from '../../../support/dashboards/mysql-synced-databases.js';

const TABLES = ['websites', 'categories', 'tags', 'blogs', 'blog_categories', 'blog_tags'];

describe('On MariaDB, with its usual collation, the sync', () => {
  oddIdCases(async (context) => {
    const databases = await MysqlSyncedDatabases.createIn(context);
    const { dashboard } = databases;
    const [keys] = await dashboard.raw(
      'select table_name as t, constraint_name as name from information_schema.referential_constraints where constraint_schema = database()',
    );
    for (const { t, name } of keys) await dashboard.raw(`alter table ${t} drop foreign key ${name}`);
    for (const table of TABLES)
      await dashboard.raw(`alter table ${table} convert to character set utf8mb4 collate utf8mb4_general_ci`);
    const { readDatabaseUrl, dashboardUrl } = databases;
    await migrate({ readDatabaseUrl, writeDatabaseUrl: dashboardUrl }, () => {});
    return databases;
  });
});

describe('On MariaDB, an id with NUL', () => {
  it('of a category, a tag or a website stops nothing, and its rows are not shown', async function () {
    const databases = await MysqlSyncedDatabases.createIn(this);
    const { dashboard, readTables } = databases;
    const sync = await SettledSync.open(databases);
    await dashboard('organizations').insert({ id: 'org', name: 'O' });
    await dashboard('websites').insert(
      ['web', 'w\0'].map((id) => ({ id, organization_id: 'org', name: 'W' })),
    );
    const tables = ['categories', 'tags'];
    for (const table of tables)
      for (const id of ['n\0', 'good'])
        await dashboard(table).insert({ id, website_id: 'web', name: 'N', slug: id });
    await sync.settle();
    for (const table of [...tables, 'websites']) await dashboard(table).update({ name: 'New' });
    await sync.settle();

    // A walk over the read tables asks which of their rows still exist.
    await databases.requestEverything();
    await sync.settle();

    const read = readTables.withSchema('content_read');
    expect(await read.clone().from('unshown_rows').orderBy('kind').pluck('kind')).to.eql(tables);
    expect(await read.clone().from('tags').select('id', 'name')).to.eql([{ id: 'good', name: 'New' }]);
    await sync.close();
    await databases.close();
  });
});

describe('On MariaDB, a walk over ids of two collations', () => {
  const database = sharedMysqlDashboard();

  it('fails before it goes back', async () => {
    const dashboard = database();
    await dashboard.raw('alter table blog_tags drop foreign key blog_tags_blog');
    await dashboard.raw('alter table blog_tags modify blog_id varchar(100) collate utf8mb4_general_ci');
    await dashboard('organizations').insert({ id: 'org', name: 'O' });
    await dashboard('websites').insert({ id: 'web', organization_id: 'org', name: 'W' });
    await dashboard('tags').insert({ id: 'tag', website_id: 'web', name: 'T', slug: 't' });
    for (const id of ['a1', 'B1']) {
      const given = { id, website_id: 'web', title: 'T', slug: id, content_html: '', status: 'draft' };
      await dashboard('blogs').insert(given);
      await dashboard('blog_tags').insert({ blog_id: id, tag_id: 'tag' });
    }
    const scope: Scope = { kind: 'websites', keys: ['web'] };
    const walked: string[] = [];
    const walk = async () => {
      for (let steps = 0; steps < 10; steps++)
        walked.push(...(await sourceIn(dashboard).keys('blogs', scope, walked.at(-1) ?? null, 1)));
    };
    const failure = await walk().catch((error: unknown) => error);
    expect(failure)
      .to.be.an('error')
      .with.property('message')
      .that.matches(/do collations differ/);
    expect(new Set(walked)).to.have.property('size', walked.length);
  });
});
