import { hostname } from 'node:os';
import { expect } from 'chai';
import { parse } from 'yaml';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import type { StoredUnshownRow } from '../../../src/adapters/postgres/write/sync-state.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { SyncProgram } from '../../../src/programs/sync/sync-program.js';
import { statusOf, syncSettings } from '../../support/sync/sync-settings.js';
import { SyncedDatabases } from '../../support/sync/synced-databases.js';

const CONTENT = `
  insert into organizations (id, name) values ('org', 'Organization');
  insert into websites (id, organization_id, name) values ('web', 'org', 'Website');
  insert into tags (id, website_id, name, slug) values ('tag_a', 'web', 'A', 'a'), ('tag_b', 'web', 'B', 'b');
  insert into blogs (id, website_id, title, slug, status, published_at)
  select 'blog_' || n, 'web', 'Blog ' || n, 'blog-' || n, 'published', now() from generate_series(1, 3) as n;
  insert into blogs (id, website_id, title, slug) values ('draft', 'web', 'Draft', 'draft');`;
const SLUG_LIMIT = 1_000;

describe('npm run sync -- --status', () => {
  let databases: SyncedDatabases;

  before(async () => {
    databases = await SyncedDatabases.create();
    await databases.dashboard.raw(CONTENT);
    await databases.dashboard.raw('alter table tags drop constraint tags_color_check');
  });

  after(async () => {
    await databases?.close();
  });

  it('reports without a leader that there is none, and what waits', async () => {
    const { text, json } = await statusOf(databases);
    expect(Object.keys(parse(text))).to.deep.equal(Object.keys(json));
    const { leader, lastLeader, queue, jobs, unshown, rows } = json;
    expect([leader, lastLeader, unshown]).to.deep.equal([null, null, []]);
    expect(queue.length).to.be.greaterThan(0);
    expect(queue.lagMs).to.be.greaterThan(0);
    expect(jobs).to.have.length(1);
    expect(jobs[0]).to.include({ scope: 'everything', progress: null });
    expect(rows.tags).to.deep.equal({ dashboard: 2, readTables: 0 });
  });

  it('reports the other parts if some of them cannot be read', async () => {
    const { dashboard, readTables } = databases;
    await dashboard.raw('alter table tags rename column slug to hidden');
    await readTables.raw('alter table content_read.unshown_rows rename to hidden');
    const { json } = await statusOf(databases).finally(async () => {
      await dashboard.raw('alter table tags rename column hidden to slug');
      await readTables.raw('alter table content_read.hidden rename to unshown_rows');
    });
    expect(json.leader).to.equal(null);
    expect(json.queue.length).to.be.greaterThan(0);
    expect(Object.keys(json.failed)).to.eql(['unshown', 'rows']);
    expect(json.failed.unshown).to.match(/does not exist$/);
  });

  it('reports what waits without a read table, and what to do', async () => {
    const { readTables } = databases;
    await readTables.raw('alter table content_read.organizations rename to hidden');
    const { json } = await statusOf(databases).finally(() =>
      readTables.raw('alter table content_read.hidden rename to organizations'),
    );
    expect(json.jobs).to.have.length(1);
    expect(json.failed).to.have.all.keys('tables');
    expect(json.failed.tables).to.match(
      /^READ_DATABASE_URL: 42P01: relation "content_read.organizations" does not exist: run `npm run migrate -- --with-grants`; .* restore it$/,
    );
  });

  describe('with a leader', () => {
    let worker: SyncProgram;

    before(async () => {
      worker = new SyncProgram(syncSettings(databases), new PrometheusMetrics());
      await worker.start();
      await eventually(async () => {
        expect(await databases.queueLength()).to.equal(0);
        expect((await databases.unfinishedJobs()).map(({ scope }) => scope)).to.deep.equal(['reconcile']);
      });
    });
    after(() => worker?.stop());

    it('reports who it is, and that nothing waits', async () => {
      const holder = `${hostname()}:${process.pid}`;
      const { leader, queue, jobs, unshown, rows } = (await statusOf(databases)).json;
      expect(leader.holder).to.equal(holder);
      expect(leader.lastBeatMs).to.be.at.least(0);
      expect({ queue, jobs, unshown }).to.deep.equal({
        queue: { length: 0, lagMs: null },
        jobs: [],
        unshown: [],
      });
      expect(rows.blogs).to.deep.equal({ dashboard: 3, readTables: 3 });
    });

    it('reports unshown rows with key and reason; the rest is applied, and corrected rows return', async () => {
      const { dashboard, readTables } = databases;
      await dashboard('tags').where({ id: 'tag_a' }).update({ color: 'red' });
      const slug = 'ü'.repeat(SLUG_LIMIT / 2);
      await dashboard('blogs')
        .where({ id: 'blog_1' })
        .update({ slug: `${slug}!` });
      await dashboard('blogs').where({ id: 'blog_2' }).update({ title: 'The rest' });
      const shown = async (table: string, column: string) =>
        (await readTables(`content_read.${table}`).orderBy('id').pluck(column)).join(', ');
      await eventually(async () => expect(await shown('blogs', 'title')).to.equal('The rest, Blog 3'));
      await eventually(async () => expect(await shown('tags', 'id')).to.equal('tag_b'));

      const { unshown } = (await statusOf(databases)).json;
      expect(unshown.map((row: StoredUnshownRow) => `${row.kind} ${row.id}: ${row.reason}`)).to.have.members([
        'tags tag_a: color does not have the form #rrggbb',
        'blogs blog_1: slug has 1001 bytes; the limit is 1000',
      ]);

      await dashboard('tags').where({ id: 'tag_a' }).update({ color: '#ff0000' });
      await dashboard('blogs').where({ id: 'blog_1' }).update({ slug });
      await eventually(async () => {
        expect(await shown('tags', 'color')).to.equal('#ff0000, #888888');
        expect(await shown('blogs', 'title')).to.equal('Blog 1, The rest, Blog 3');
      });
      expect((await statusOf(databases)).json.unshown).to.deep.equal([]);
    });
  });
});
