import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard, type Tenant } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf, environmentOf, leads } from '../../support/programs/running-programs.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

/** A busy machine needs a moment for so many. */
const BLOGS_OF_WEBSITE = 600;

describe('npm run sync, together with an API,', () => {
  const redis = sharedRedis();
  let dashboard: Dashboard;
  let readTables: pg.Client;
  let worker: RunningProgram;
  let api: RunningProgram;
  let address: string;

  before(async () => {
    dashboard = await Dashboard.create(9);
    readTables = new pg.Client(dashboard.readDatabaseUrl);
    await readTables.connect();
    const environment = { ...environmentOf(dashboard), REDIS_URL: redis().url };
    worker = new RunningProgram(['sync'], environment);
    api = new RunningProgram(['api'], environment);
    await leads(worker);
    address = await addressOf(api);
  });

  after(async () => {
    await Promise.all([worker?.end('SIGKILL'), api?.end('SIGKILL')]);
    await readTables?.end();
  });

  const get = ({ key }: Tenant, path: string) => sendRequest(address, `/api/v1${path}`, { 'X-API-Key': key });

  async function shownBy(tenant: Tenant, path: string): Promise<string> {
    const { status, headers, text } = await get(tenant, path);
    if (status !== 200) return String(status);
    return `${headers['x-cache']}: ${JSON.parse(text).data.title}`;
  }

  /** Repeats a query of the read tables while something happens, and returns the distinct results. */
  async function seenWhile(sql: string, values: readonly string[], happens: () => Promise<void>) {
    const seen = new Set<string>();
    let isOver = false;
    const polling = (async () => {
      while (!isOver) {
        const { rows } = await readTables.query(sql, [...values]);
        seen.add(JSON.stringify(rows));
      }
    })();
    try {
      await happens();
    } finally {
      isOver = true;
      await polling;
    }
    return [...seen].map((rows) => JSON.parse(rows));
  }

  it('applies an edit to the answers through a warm cache, without any command', async () => {
    const tenant = dashboard.tenant();
    const path = `/blogs/${tenant.blogId}`;
    await eventually(async () => expect(await shownBy(tenant, path)).to.equal('MISS: First title'));
    expect(await shownBy(tenant, path)).to.equal('HIT: First title');
    await dashboard.rename(tenant, 'Second title');
    const next = await eventually(async () => {
      const shown = await shownBy(tenant, path);
      expect(shown).not.to.equal('HIT: First title');
      return shown;
    });
    expect(next).to.equal('MISS: Second title');
    expect(await shownBy(tenant, path)).to.equal('HIT: Second title');
  });

  it('moves a blog to another organization at once: it is never in both, and never in none', async () => {
    const [old, next] = [dashboard.tenant(), dashboard.tenant()];
    const path = `/blogs/${old.blogId}`;
    expect(await shownBy(old, path)).to.equal('MISS: First title');
    expect(await shownBy(next, path)).to.equal('404');

    const moveTo = ({ organizationId }: Tenant) =>
      dashboard.sql('update blogs set website_id = $1 where id = $2', [
        `web of ${organizationId}`,
        old.blogId,
      ]);
    const owners = await seenWhile(
      'select organization_id as owner from content_read.blogs where id = $1',
      [old.blogId],
      async () => {
        for (const owner of [next, old, next, old, next]) {
          const other = owner === old ? next : old;
          await moveTo(owner);
          await eventually(async () => expect(await shownBy(owner, path)).to.contain('First'));
          // The cached answer ends with the generation, which is published right after the commit.
          await eventually(async () => expect(await shownBy(other, path)).to.equal('404'));
        }
      },
    );
    expect(owners).to.have.deep.members([[{ owner: old.organizationId }], [{ owner: next.organizationId }]]);
  });

  it('moves a website with all its rows, step by step: no blog is ever in both organizations, or in none', async () => {
    const [old, next] = [dashboard.tenant(), dashboard.tenant()];
    const website = `web of ${old.organizationId}`;
    await dashboard.sql(
      `insert into blogs (id, website_id, title, slug, status, published_at)
      select 'moving_' || n, $1, 'Moving', 'moving-' || n, 'published', now() from generate_series(2, ${BLOGS_OF_WEBSITE}) as n`,
      [website],
    );
    const countOf = (tenant: Tenant) =>
      get(tenant, '/blogs?limit=1').then((answer) => answer.json().pagination.total);
    await eventually(async () => expect(await countOf(old)).to.equal(BLOGS_OF_WEBSITE));

    const counts = await seenWhile(
      'select count(*)::int as rows, count(distinct id)::int as blogs from content_read.blogs where website_id = $1',
      [website],
      async () => {
        await dashboard.sql('update websites set organization_id = $1 where id = $2', [
          next.organizationId,
          website,
        ]);
        // Plus the blog that this organization already has.
        await eventually(async () => expect(await countOf(next)).to.equal(BLOGS_OF_WEBSITE + 1));
      },
    );
    expect(counts).to.deep.equal([[{ rows: BLOGS_OF_WEBSITE, blogs: BLOGS_OF_WEBSITE }]]);
    await eventually(async () => expect(await countOf(old)).to.equal(0));
  });

  it('swaps two slugs at one moment if one transaction swaps them', async () => {
    const tenant = dashboard.tenant();
    const { blogId, organizationId } = tenant;
    const website = `web of ${organizationId}`;
    const bySlug = (slug: string) => `/blogs/slug/${slug}?website_id=${encodeURIComponent(website)}`;
    await dashboard.sql(
      `insert into blogs (id, website_id, title, slug, status, published_at)
      values ('swapped', $1, 'Another title', 'other-slug', 'published', now())`,
      [website],
    );
    const otherShows = (title: string) =>
      eventually(async () => expect(await shownBy(tenant, bySlug('other-slug'))).to.contain(title));
    await otherShows('Another title');

    const slugs = await seenWhile(
      'select id, slug from content_read.blogs where organization_id = $1 order by id',
      [organizationId],
      async () => {
        await dashboard.sql(`
          begin;
          set constraints blogs_slug_unique_in_website deferred;
          update blogs set slug = 'other-slug' where id = '${blogId}';
          update blogs set slug = '${blogId}' where id = 'swapped';
          commit;`);
        await otherShows('First title');
      },
    );
    expect(await shownBy(tenant, bySlug(blogId))).to.contain('Another title');
    const rows = (ofBlog: string, ofSwapped: string) => [
      { id: blogId, slug: ofBlog },
      { id: 'swapped', slug: ofSwapped },
    ];
    expect(slugs).to.have.deep.members([rows(blogId, 'other-slug'), rows('other-slug', blogId)]);
  });
});
