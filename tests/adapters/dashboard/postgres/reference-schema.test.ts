import { expect } from 'chai';
import { BLOG_COUNTS, BLOG_TEXTS, columnOf, recordOf } from '../../../../src/domain/model/blog-fields.js';
import { DASHBOARD_TABLES, DashboardUnderTest } from '../../../support/dashboards/dashboard-under-test.js';

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';
const CHECK_VIOLATION = '23514';

describe('the reference schema', () => {
  let dashboard: DashboardUnderTest;

  const refusalOf = (sql: string) => dashboard.refusalOf(sql);

  before(async () => {
    dashboard = await DashboardUnderTest.start();
  });
  after(() => dashboard.stop());
  beforeEach(async () => {
    await dashboard.empty();
    await dashboard.putOwners();
    await dashboard.putBlog({ id: 'blog' });
    await dashboard.putTerm('categories', { id: 'parent' });
    await dashboard.putTerm('categories', { id: 'category', parent_id: 'parent' });
    await dashboard.putTerm('tags', { id: 'tag' });
    await dashboard.database('blog_categories').insert({ blog_id: 'blog', category_id: 'category' });
    await dashboard.database('blog_tags').insert({ blog_id: 'blog', tag_id: 'tag' });
    await dashboard.putKey({ id: 'key' });
  });

  it('has the documented defaults', async () => {
    await dashboard.database('blogs').insert({ id: 'new', website_id: 'web_a', title: 'T', slug: 's' });
    const { created_at, updated_at, ...blog } = await dashboard
      .database('blogs')
      .where({ id: 'new' })
      .first();

    expect(blog).to.eql({
      id: 'new',
      website_id: 'web_a',
      title: 'T',
      slug: 's',
      ...recordOf(BLOG_TEXTS.map(columnOf), () => null),
      content_html: '',
      ...recordOf(BLOG_COUNTS.map(columnOf), () => 0),
      status: 'draft',
      published_at: null,
    });
    expect([created_at, updated_at].every((time) => time instanceof Date)).to.equal(true);
    expect(await dashboard.database('categories').where({ id: 'parent' }).first()).to.include({
      description: '',
      sort_order: 0,
      parent_id: null,
    });
    expect(await dashboard.database('tags').first()).to.include({ color: '#888888' });
    expect(await dashboard.database('api_keys').first()).to.include({ name: '', revoked_at: null });
  });

  for (const status of ['draft', 'scheduled', 'published', 'archived']) {
    it(`has the status ${status}`, async () => {
      expect(await refusalOf(`update blogs set status = '${status}'`)).to.equal(null);
    });
  }

  it('has no other status', async () => {
    expect(await refusalOf("update blogs set status = 'deleted'")).to.equal(CHECK_VIOLATION);
  });

  it('requires a date of published blogs, but not of others', async () => {
    expect(await refusalOf('update blogs set published_at = null')).to.equal(CHECK_VIOLATION);
    expect(await refusalOf("update blogs set published_at = null, status = 'draft'")).to.equal(null);
    expect(await refusalOf("update blogs set status = 'published'")).to.equal(CHECK_VIOLATION);
    expect(await refusalOf("update blogs set published_at = now(), status = 'scheduled'")).to.equal(null);
  });

  for (const color of ['#000000', '#AbCdEf', '#999999']) {
    it(`accepts ${color} as a color`, async () => {
      expect(await refusalOf(`update tags set color = '${color}'`)).to.equal(null);
    });
  }

  for (const color of ['', 'red', '#fff', '#00000g', '000000', '#0000000', '#000000\n', ' #000000']) {
    it(`refuses ${JSON.stringify(color)} as a color`, async () => {
      expect(await refusalOf(`update tags set color = '${color}'`)).to.equal(CHECK_VIOLATION);
    });
  }

  for (const [table, one, other] of [
    ['blogs', 'blog', 'blog_2'],
    ['categories', 'category', 'category_2'],
    ['tags', 'tag', 'tag_2'],
  ] as const) {
    describe(`in ${table}`, () => {
      const slugs = async () =>
        Object.fromEntries(
          (await dashboard.database(table).whereIn('id', [one, other]).select('id', 'slug')).map(
            ({ id, slug }) => [id, slug],
          ),
        );
      const put = (given: Record<string, unknown> & { id: string }) =>
        table === 'blogs' ? dashboard.putBlog(given) : dashboard.putTerm(table, given);

      it('allows a slug only once in a website, and again in another one', async () => {
        await put({ id: other, slug: `slug-of-${one}`, website_id: 'web_b' });

        expect(await refusalOf(`update ${table} set website_id = 'web_a'`)).to.equal(UNIQUE_VIOLATION);
      });

      it('lets one statement swap two slugs', async () => {
        await put({ id: other });
        await dashboard.database.raw(
          `update ${table} set slug = case id when '${one}' then 'slug-of-${other}' else 'slug-of-${one}' end
           where id in ('${one}', '${other}')`,
        );

        expect(await slugs()).to.eql({ [one]: `slug-of-${other}`, [other]: `slug-of-${one}` });
      });

      it('lets one transaction swap two slugs, one after the other', async () => {
        await put({ id: other });
        await dashboard.database.transaction(async (transaction) => {
          await transaction.raw('set constraints all deferred');
          await transaction(table)
            .where({ id: one })
            .update({ slug: `slug-of-${other}` });
          await transaction(table)
            .where({ id: other })
            .update({ slug: `slug-of-${one}` });
        });

        expect(await slugs()).to.eql({ [one]: `slug-of-${other}`, [other]: `slug-of-${one}` });
      });
    });
  }

  it('deletes everything of an organization with it', async () => {
    await dashboard.database('organizations').where({ id: 'org_a' }).delete();

    const counts = await Promise.all(
      DASHBOARD_TABLES.map(async (table) => (await dashboard.dump(table)).length - 1),
    );
    expect(Object.fromEntries(DASHBOARD_TABLES.map((table, n) => [table, counts[n]]))).to.eql({
      organizations: 1,
      websites: 1,
      blogs: 0,
      categories: 0,
      tags: 0,
      blog_categories: 0,
      blog_tags: 0,
      api_keys: 0,
    });
  });

  it('deletes the links of a blog and of a term with it', async () => {
    await dashboard.database('categories').where({ id: 'category' }).delete();
    expect(await dashboard.dump('blog_categories')).to.have.lengthOf(1);
    await dashboard.database('blogs').delete();
    expect(await dashboard.dump('blog_tags')).to.have.lengthOf(1);
    expect(await dashboard.dump('tags')).to.have.lengthOf(2);
  });

  it('leaves the children of a deleted category without a parent', async () => {
    await dashboard.database('categories').where({ id: 'parent' }).delete();

    expect(await dashboard.database('categories').where({ id: 'category' }).first()).to.include({
      parent_id: null,
    });
  });

  it('lets a blog and a website move to another owner, and a blog have terms of another website', async () => {
    await dashboard.putTerm('tags', { id: 'foreign', website_id: 'web_b' });

    expect(await refusalOf("insert into blog_tags values ('blog', 'foreign')")).to.equal(null);
    expect(await refusalOf("update blogs set website_id = 'web_b'")).to.equal(null);
    expect(await refusalOf("update websites set organization_id = 'org_b'")).to.equal(null);
  });

  it('allows no row without its owner, and no link twice', async () => {
    expect(await refusalOf("update blogs set website_id = 'web_x'")).to.equal(FOREIGN_KEY_VIOLATION);
    expect(await refusalOf("insert into blog_tags values ('blog', 'tag')")).to.equal(UNIQUE_VIOLATION);
  });
});
