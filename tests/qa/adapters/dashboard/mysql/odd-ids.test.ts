import { expect } from 'chai';
import { migrate } from '../../../../../src/programs/migrate/migrate.js';
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
  it('of a category, a tag or a website stops nothing, and its rows are quarantined', async function () {
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

    const read = readTables.withSchema('content_read');
    expect(await read.clone().from('quarantined_rows').orderBy('kind').pluck('kind')).to.eql(tables);
    expect(await read.clone().from('tags').select('id', 'name')).to.eql([{ id: 'good', name: 'New' }]);
    await sync.close();
    await databases.close();
  });
});
