import { expect } from 'chai';
import type { RebuildProgress } from '../../../src/adapters/cli/progress-report.js';
import { loadDemoContent } from '../../../src/adapters/dashboard/demo/load-demo-content.js';
import { DEMO_CONTENT } from '../../../src/composition/project-folders.js';
import { SyncJobsUnderTest } from './sync-jobs-under-test.js';

const BLOGS = `
  insert into blogs (id, website_id, title, slug, status, published_at)
  select 'blog_' || n, 'web_a', 'Title', 'slug-' || n, 'published', now() from generate_series(1, ?) as n`;

describe('The sync worker', () => {
  let jobs: SyncJobsUnderTest;
  let sql: SyncJobsUnderTest['dashboard']['database'];

  const titles = () => jobs.readTables('content_read.blogs').distinct().pluck('title');

  before(async () => {
    jobs = await SyncJobsUnderTest.start();
    sql = jobs.dashboard.database;
  });
  after(() => jobs.stop());
  beforeEach(() => jobs.empty());

  describe('when it catches up,', () => {
    it('fills empty read tables with every published blog, every term and every key', async () => {
      const fresh = await SyncJobsUnderTest.start();
      try {
        await loadDemoContent(fresh.dashboard.database, DEMO_CONTENT);
        await fresh.catchUp();
        const { rows }: { rows: { total: string }[] } = await fresh.dashboard.database.raw(`
          select (select count(*) from blogs where status = 'published') + (select count(*) from categories)
            + (select count(*) from tags) + (select count(*) from api_keys) as total`);
        expect(await fresh.countReadRows()).to.equal(Number(rows[0]?.total));
        expect(await fresh.readTables('content_read.blogs')).to.have.lengthOf(200);
      } finally {
        await fresh.stop();
      }
    });

    it('applies everything that was committed before, in one statement or many', async () => {
      await jobs.dashboard.putOwners();
      await sql.raw(BLOGS, [600]);
      await sql('blogs').where('id', 'blog_7').update({ title: 'Another title' });
      await sql('blogs').where('id', 'like', 'blog_5%').delete();
      await jobs.catchUp();

      expect(await titles()).to.have.members(['Title', 'Another title']);
      expect(await jobs.readTables('content_read.blogs')).to.have.lengthOf(489);
      expect(await sql('content_sync.change_queue')).to.eql([]);
    });

    it('applies what the changes mean for other rows', async () => {
      await jobs.dashboard.putOwners();
      await jobs.dashboard.putTerm('tags', { id: 'tag' });
      await sql.raw(BLOGS, [600]);
      await sql.raw("insert into blog_tags select id, 'tag' from blogs");
      await jobs.catchUp();
      await sql('tags').update({ name: 'New name', slug: 'new-slug' });
      await jobs.catchUp();

      expect(await jobs.readTables('content_read.titles').distinct().pluck('terms')).to.eql([
        ['tag=new-slug'],
      ]);
    });

    it('deletes what the dashboard has deleted, down to the last row', async () => {
      await loadDemoContent(sql, DEMO_CONTENT);
      await jobs.catchUp();
      expect(await jobs.countReadRows()).to.be.above(200);
      await sql.raw('truncate organizations cascade');
      await jobs.catchUp();

      expect(await jobs.countReadRows()).to.equal(0);
    });

    it('does not wait for what is committed after its start', async () => {
      await jobs.dashboard.putOwners();
      await jobs.dashboard.putTerm('tags', { id: 'tag' });
      await sql.raw(BLOGS, [20]);
      await sql.raw("insert into blog_tags select id, 'tag' from blogs");
      let isOver = false;
      const editing = (async () => {
        while (!isOver) await sql('tags').update({ name: sql.raw("name || '.'") });
      })();
      await jobs.catchUp();
      isOver = true;
      await editing;

      expect(await jobs.readTables('content_read.blogs')).to.have.lengthOf(20);
    });

    it('raises no generation if there is nothing to catch up with', async () => {
      await loadDemoContent(sql, DEMO_CONTENT);
      await jobs.catchUp();
      const before = await jobs.readTables('content_read.organizations').orderBy('organization_id');
      await jobs.catchUp();

      expect(await jobs.readTables('content_read.organizations').orderBy('organization_id')).to.eql(before);
    });
  });

  describe('when it rebuilds,', () => {
    const rebuilt = (report?: (progress: RebuildProgress) => void) => jobs.rebuild(report);

    it('restores lost rows, and returns their number', async () => {
      await loadDemoContent(sql, DEMO_CONTENT);
      await jobs.catchUp();
      const [before, total] = [await jobs.contentDump(), await jobs.countReadRows()];
      await jobs.clearReadTables();

      expect(await rebuilt()).to.equal(total);
      expect(await jobs.contentDump()).to.eql(before);
    });

    it('restores blogs of which only the rows for lists and searches are left, at once', async () => {
      await jobs.dashboard.putOwners();
      await sql.raw(BLOGS, [300]);
      await jobs.catchUp();
      const before = await jobs.contentDump();
      await jobs.readTables.raw(
        'delete from content_read.blogs where id = (select min(id) from content_read.blogs)',
      );
      expect(await rebuilt()).to.equal(1);
      expect(await jobs.contentDump()).to.eql(before);
      await jobs.readTables.raw('delete from content_read.blogs');
      expect(await rebuilt()).to.equal(300);
      expect(await jobs.contentDump()).to.eql(before);
    });

    it('repairs rows that were changed by hand, and counts them', async () => {
      await loadDemoContent(sql, DEMO_CONTENT);
      await jobs.catchUp();
      const before = await jobs.contentDump();
      await jobs.readTables.raw(`
        update content_read.blogs set title = 'forged' where id in (select id from content_read.blogs limit 5)`);
      await jobs.readTables.raw(`
        delete from content_read.tags where id in (select id from content_read.tags limit 3)`);
      await jobs.readTables.raw(`
        insert into content_read.api_keys (organization_id, id, hash) values ('forged', 'forged', 'forged')`);

      expect(await rebuilt()).to.equal(9);
      expect(await jobs.contentDump()).to.eql(before);
    });

    it('changes no row the second time, and raises no generation: cached answers stay valid', async () => {
      await jobs.dashboard.putOwners();
      await jobs.dashboard.putBlog({ id: 'of-a' });
      await jobs.dashboard.putBlog({ id: 'of-b', website_id: 'web_b' });
      await jobs.catchUp();
      const rows = await jobs.contentDump();
      const before = [await jobs.generationOf('org_a'), await jobs.generationOf('org_b')] as const;

      expect(await rebuilt()).to.equal(0);
      expect(await jobs.contentDump()).to.eql(rows);
      expect([await jobs.generationOf('org_a'), await jobs.generationOf('org_b')]).to.eql(before);
    });

    it('reports each kind up to its total, over several steps', async () => {
      await jobs.dashboard.putOwners();
      await sql.raw(BLOGS, [1001]);
      await jobs.dashboard.putKey({ id: 'key' });
      await jobs.catchUp();
      const reported: string[] = [];
      await rebuilt(({ kind, done, total }) => reported.push(`${kind} ${done}/${total}`));

      expect(reported.filter((line, at) => line !== reported[at - 1])).to.eql([
        'apiKeys 1/1',
        'blogs 1000/1001',
        'blogs 1001/1001',
      ]);
    });
  });
});
