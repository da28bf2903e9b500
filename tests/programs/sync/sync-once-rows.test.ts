import { expect } from 'chai';
import { SyncJobsUnderTest } from './sync-jobs-under-test.js';

describe('The sync worker, with a dashboard of two organizations,', () => {
  let jobs: SyncJobsUnderTest;
  let dashboard: SyncJobsUnderTest['dashboard'];

  const validity = async () => {
    const keys = jobs.readTables('content_read.api_keys').orderBy('id');
    return keys.select('id', jobs.readTables.raw('expires_at > now() as valid'));
  };
  const generations = async () => ({
    ofA: await jobs.generationOf('org_a'),
    ofB: await jobs.generationOf('org_b'),
  });
  const reasons = () =>
    jobs.readTables('content_read.quarantined_rows').select('kind', 'id', 'reason').orderBy('id');

  before(async () => {
    jobs = await SyncJobsUnderTest.start();
    ({ dashboard } = jobs);
  });
  after(() => jobs.stop());
  beforeEach(async () => {
    await jobs.empty();
    await dashboard.putOwners();
  });

  it('raises only the generations of organizations with a change', async () => {
    await dashboard.putBlog({ id: 'of-a' });
    await dashboard.putBlog({ id: 'of-b', website_id: 'web_b' });
    await jobs.catchUp();
    const before = await generations();
    await dashboard.database('blogs').where({ id: 'of-b' }).update({ title: 'New title' });
    // This update changes no content.
    await dashboard.database('blogs').where({ id: 'of-a' }).update({ updated_at: new Date() });
    await jobs.catchUp();

    const after = await generations();
    expect(after.ofA === before.ofA).to.equal(true);
    expect(after.ofB > before.ofB).to.equal(true);
  });

  it('moves all rows of a website to its new organization, and raises both generations', async () => {
    await dashboard.putBlog({ id: 'blog' });
    await dashboard.putTerm('categories', { id: 'category' });
    await dashboard.putTerm('tags', { id: 'tag' });
    await jobs.catchUp();
    const before = await generations();
    await dashboard.database('websites').where({ id: 'web_a' }).update({ organization_id: 'org_b' });
    await jobs.catchUp();

    const after = await generations();
    expect([after.ofA > before.ofA, after.ofB > before.ofB]).to.eql([true, true]);
    for (const table of ['blogs', 'categories', 'tags']) {
      const owners = await jobs.readTables(`content_read.${table}`).pluck('organization_id');
      expect(owners, table).to.eql(['org_b']);
    }
  });

  it('deletes a blog that is no longer published', async () => {
    await dashboard.putBlog({ id: 'blog' });
    await jobs.catchUp();
    await dashboard.database('blogs').update({ status: 'archived' });
    await jobs.catchUp();

    expect(await jobs.blog('blog')).to.equal(undefined);
  });

  it('cuts off the finer digits of a date', async () => {
    await dashboard.putBlog({ id: 'fine', published_at: '2026-01-01T00:00:00.999999Z' });
    await dashboard.putBlog({ id: 'old', published_at: '1969-12-31T23:59:59.999999Z' });
    await jobs.catchUp();

    expect((await jobs.blog('fine')).published_at.toISOString()).to.equal('2026-01-01T00:00:00.999Z');
    expect((await jobs.blog('old')).published_at.toISOString()).to.equal('1969-12-31T23:59:59.999Z');
  });

  it('quarantines a row with its reason while it cannot be shown, and copies all others', async () => {
    await dashboard.putBlog({ id: 'never', published_at: 'infinity' });
    await dashboard.putBlog({ id: 'long', slug: 'x'.repeat(1_001) });
    await dashboard.putBlog({ id: 'good' });
    await jobs.catchUp();

    expect(await jobs.readTables('content_read.blogs').pluck('id')).to.eql(['good']);
    expect(await reasons()).to.eql([
      { kind: 'blogs', id: 'long', reason: 'slug has 1001 bytes; the limit is 1000' },
      { kind: 'blogs', id: 'never', reason: 'published_at is not a valid time' },
    ]);
    await dashboard.database('blogs').where({ id: 'never' }).update({ published_at: new Date() });
    await dashboard.database('blogs').where({ id: 'long' }).delete();
    await jobs.catchUp();

    expect(await jobs.readTables('content_read.blogs').orderBy('id').pluck('id')).to.eql(['good', 'never']);
    expect(await reasons()).to.eql([]);
  });

  it('ends the quarantine of a row that a TRUNCATE has deleted', async () => {
    await dashboard.putBlog({ id: 'never', published_at: 'infinity' });
    await jobs.catchUp();
    expect(await reasons()).to.have.lengthOf(1);
    await dashboard.database.raw('truncate blogs cascade');
    await jobs.catchUp();

    expect(await reasons()).to.eql([]);
  });

  it('copies a key as the dashboard has it', async () => {
    const times = {
      expires_at: new Date('2027-01-01T00:00:00Z'),
      revoked_at: new Date('2026-01-01T00:00:00Z'),
    };
    await dashboard.putKey({ id: 'key', key_hash: 'a-hash', ...times });
    await jobs.catchUp();

    expect(await jobs.readTables('content_read.api_keys')).to.eql([
      { organization_id: 'org_a', id: 'key', hash: 'a-hash', ...times },
    ]);
  });

  it('copies a key that never expires, one that always was expired, and one that expires after the last date of JavaScript', async () => {
    await dashboard.putKey({ id: 'endless', expires_at: 'infinity' });
    await dashboard.putKey({ id: 'expired', expires_at: '-infinity' });
    await dashboard.putKey({ id: 'far', expires_at: '290000-01-01T00:00:00Z' });
    await jobs.catchUp();

    expect(await validity()).to.eql([
      { id: 'endless', valid: true },
      { id: 'expired', valid: false },
      { id: 'far', valid: true },
    ]);
  });

  it('omits terms and parents of another organization', async () => {
    await dashboard.putBlog({ id: 'blog' });
    await dashboard.putTerm('categories', { id: 'foreign', website_id: 'web_b' });
    await dashboard.putTerm('categories', { id: 'own', parent_id: 'foreign' });
    await dashboard.database('blog_categories').insert([
      { blog_id: 'blog', category_id: 'own' },
      { blog_id: 'blog', category_id: 'foreign' },
    ]);
    await jobs.catchUp();

    expect((await jobs.blog('blog')).categories.map(({ slug }: { slug: string }) => slug)).to.eql([
      'slug-of-own',
    ]);
    expect(await jobs.readTables('content_read.titles').pluck('terms')).to.eql([['category=slug-of-own']]);
    expect(await jobs.readTables('content_read.categories').where({ id: 'own' }).first()).to.include({
      parent_id: null,
    });
  });

  it('applies two slugs that one transaction has swapped', async () => {
    await dashboard.putBlog({ id: 'one', slug: 'one' });
    await dashboard.putBlog({ id: 'other', slug: 'other' });
    await jobs.catchUp();
    await dashboard.database.raw("update blogs set slug = case id when 'one' then 'other' else 'one' end");
    await jobs.catchUp();

    expect([(await jobs.blog('one')).slug, (await jobs.blog('other')).slug]).to.eql(['other', 'one']);
  });
});
