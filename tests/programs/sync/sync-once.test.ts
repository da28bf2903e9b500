import { expect } from 'chai';
import { loadDemoContent } from '../../../src/adapters/dashboard/demo/load-demo-content.js';
import { openDashboardDatabase } from '../../../src/adapters/sql/postgres/open-database.js';
import { DEMO_CONTENT } from '../../../src/composition/project-folders.js';
import { catchUp, rebuild } from '../../../src/programs/sync/sync-once.js';
import { startCapturedDashboard } from '../../support/dashboards/captured-changes.js';
import { type DashboardUnderTest, dumpOf } from '../../support/dashboards/dashboard-under-test.js';
import { createReadTables } from '../../support/postgres/migrated-databases.js';
import { type Databases, syncSettings } from '../../support/sync/sync-settings.js';

const CONTENT_TABLES = ['api_keys', 'categories', 'tags', 'blogs'].map((table) => `content_read.${table}`);
const DERIVED_TABLES = ['titles', 'list_entries', 'list_totals'].map((table) => `content_read.${table}`);
const BLOGS = `
  insert into blogs (id, website_id, title, slug, status, published_at)
  select 'blog_' || n, 'web_a', 'Title', 'slug-' || n, 'published', now() from generate_series(1, ?) as n`;

describe('The sync worker', () => {
  let dashboard: DashboardUnderTest;
  let sql: DashboardUnderTest['database'];
  let readTables: ReturnType<typeof openDashboardDatabase>;
  let databases: Databases;

  const catchUpOnce = () => catchUp(syncSettings(databases));
  const rebuildOnce = () => rebuild(syncSettings(databases), () => {});
  const contentDump = () => dumpOf(readTables, [...CONTENT_TABLES, ...DERIVED_TABLES]);
  const countReadRows = async () => {
    const totals = await Promise.all(CONTENT_TABLES.map((table) => readTables(table).count({ total: '*' })));
    return totals.reduce((sum, [row]) => sum + Number(row?.total), 0);
  };

  before(async () => {
    dashboard = await startCapturedDashboard();
    sql = dashboard.database;
    databases = { writeDatabaseUrl: dashboard.url, readDatabaseUrl: await createReadTables() };
    readTables = openDashboardDatabase(databases.readDatabaseUrl);
  });
  after(async () => {
    await readTables?.destroy();
    await dashboard?.stop();
  });
  beforeEach(async () => {
    await dashboard.empty();
    await catchUpOnce();
  });

  describe('when it catches up,', () => {
    it('copies every published blog, every term and every key, and deletes down to the last row', async () => {
      await loadDemoContent(sql, DEMO_CONTENT);
      await catchUpOnce();
      const { rows }: { rows: { total: string }[] } = await sql.raw(`
        select (select count(*) from blogs where status = 'published') + (select count(*) from categories)
          + (select count(*) from tags) + (select count(*) from api_keys) as total`);
      expect(await countReadRows())
        .to.equal(Number(rows[0]?.total))
        .and.above(200);
      await sql.raw('truncate organizations cascade');
      await catchUpOnce();

      expect(await countReadRows()).to.equal(0);
    });

    it('does not wait for what is committed after its start', async () => {
      await dashboard.putOwners();
      await dashboard.putTerm('tags', { id: 'tag' });
      await sql.raw(BLOGS, [20]);
      await sql.raw("insert into blog_tags select id, 'tag' from blogs");
      let isOver = false;
      const editing = (async () => {
        while (!isOver) await sql('tags').update({ name: sql.raw("name || '.'") });
      })();
      await catchUpOnce();
      isOver = true;
      await editing;

      expect(await readTables('content_read.blogs')).to.have.lengthOf(20);
    });
  });

  describe('when it rebuilds,', () => {
    it('restores blogs of which only the rows for lists and searches are left, at once', async () => {
      await dashboard.putOwners();
      await sql.raw(BLOGS, [300]);
      await catchUpOnce();
      const before = await contentDump();
      await readTables.raw(
        'delete from content_read.blogs where id = (select min(id) from content_read.blogs)',
      );
      expect(await rebuildOnce()).to.equal(1);
      expect(await contentDump()).to.eql(before);
      await readTables.raw('delete from content_read.blogs');
      expect(await rebuildOnce()).to.equal(300);
      expect(await contentDump()).to.eql(before);
    });

    it('repairs rows that were changed or lost, and counts them; the next one changes nothing', async () => {
      await loadDemoContent(sql, DEMO_CONTENT);
      await catchUpOnce();
      const before = await contentDump();
      await readTables.raw(`
        update content_read.blogs set title = 'forged' where id in (select id from content_read.blogs limit 5);
        delete from content_read.tags where id in (select id from content_read.tags limit 3);
        insert into content_read.api_keys (organization_id, id, hash) values ('forged', 'forged', 'forged')`);

      expect(await rebuildOnce()).to.equal(9);
      expect(await contentDump()).to.eql(before);
      expect(await rebuildOnce()).to.equal(0);
    });
  });
});
