import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Database } from '../src/adapters/mariadb/database.js';
import { eventually } from './support/eventually.js';
import { Program } from './support/program.js';
import { TestDashboard } from './support/test-dashboard.js';
import { TestDatabase } from './support/test-database.js';

const CONTENT = `
  insert into organizations (id, name) values ('ours', 'Ours'), ('theirs', 'Theirs');
  insert into websites (id, organization_id, name) values ('home', 'ours', 'Home'), ('shop', 'ours', 'Shop');
  insert into categories (id, website_id, name, slug) values ('news', 'home', 'News', 'news'), ('offers', 'shop', 'Offers', 'offers');
  insert into tags (id, website_id, name, slug) values ('new', 'home', 'New', 'new');
  insert into blogs (id, website_id, title, slug, status, published_at, content_html)
  select 'blog-' || n, 'home', 'Blog ' || n, 'blog-' || n, 'published', '2026-01-01'::timestamptz + n * interval '1 day', '<p>😀</p>'
  from generate_series(1, 30) as n;
  insert into blogs (id, website_id, title, slug, status, published_at) values ('offer', 'shop', 'Offer', 'offer', 'published', '2026-03-01');
  insert into blog_categories (blog_id, category_id) values ('blog-1', 'news'), ('offer', 'offers');
  insert into blog_tags (blog_id, tag_id) values ('blog-1', 'new');`;

/** The environment has no PostgreSQL for the read model. */
describe('The programs with this store', () => {
  let dashboard: TestDashboard;
  let readModel: TestDatabase;
  let environment: Record<string, string>;
  const programs: Program[] = [];
  let api: Program;
  let leader: Program;
  let standby: Program;
  let address = '';
  let key: Key;
  let theirKey: Key;

  before(async () => {
    dashboard = await TestDashboard.create();
    readModel = await TestDatabase.create();
    environment = { WRITE_DATABASE_URL: dashboard.url, MARIADB_URL: readModel.url };
    await run('dashboard:migrate');
    const migrated = await run('migrate');
    assert.match(migrated, /^Read tables: READ_DATABASE_URL is not set, so nothing is migrated\.$/m);
    await dashboard.change(CONTENT);
    key = await newKey('ours');
    theirKey = await newKey('theirs');
  });

  after(async () => {
    await Promise.all(programs.map((program) => program.end('SIGKILL')));
    await Promise.all([dashboard?.drop(), readModel?.drop()]);
  });

  function start(command: string, others: Record<string, string> = {}): Program {
    const program = new Program(command.split(' '), { ...environment, ...others });
    programs.push(program);
    return program;
  }

  /** Waits until it ends successfully. */
  async function run(command: string): Promise<string> {
    const program = start(command);
    assert.equal(await program.exitCode(), 0, program.output);
    return program.output;
  }

  const newKey = async (organization: string): Promise<Key> =>
    JSON.parse(await run(`keys create --organization ${organization} --json`));

  async function ask(path: string, as = key): Promise<Answer> {
    const response = await fetch(`${address}/api/v1/${path}`, { headers: { 'X-API-Key': as.key } });
    return {
      status: response.status,
      cache: response.headers.get('X-Cache'),
      body: await response.json(),
    } as Answer;
  }

  const titleOf = async (id: string) => (await ask(`blogs/${id}`)).body.data.title;
  const idsFrom = async (path: string, as = key) => {
    const { body } = await ask(path, as);
    return (body.data as unknown as readonly { id: string }[]).map(({ id }) => id).sort();
  };

  it('fill the read model, and serve all five endpoints', async () => {
    leader = start('sync');
    await leader.printed(/(this worker leads)/);
    api = start('api', { PORT: '0', HOST: '127.0.0.1', RATE_LIMIT_MAX: '1000000' });
    address = await api.printed(/"address":"([^"]+)"/);
    await eventually(async () => assert.equal((await ask('blogs')).body.pagination?.total, 31));
    const second = await ask('blogs?page=2&limit=20&website_id=home');
    assert.equal(second.body.pagination?.total, 30);
    const found = second.body.data as unknown as readonly { id: string }[];
    assert.deepEqual(
      found.map(({ id }) => id),
      [...Array(10).keys()].map((n) => `blog-${10 - n}`),
    );
    const { body } = await ask('blogs/blog-1');
    assert.equal(body.data.contentHtml, '<p>😀</p>');
    assert.equal((await ask('blogs/slug/blog-1?website_id=home')).body.data.id, 'blog-1');
    assert.deepEqual(await idsFrom('categories?website_id=home'), ['news']);
    assert.deepEqual(await idsFrom('tags?website_id=home'), ['new']);
    assert.equal((await ask('blogs/blog-1')).cache, 'HIT');
  });

  it('report the replaced ports to operators', async () => {
    const admin = await api.printed(/"adminAddress":"([^"]+)"/);
    const readiness = (await (await fetch(`${admin}/readyz`)).json()) as { status: string; replaced: object };
    assert.equal(readiness.status, 'ready');
    assert.deepEqual(new Set(Object.values(readiness.replaced)), new Set(['own-store']));
    assert.match(await run('doctor'), /^ok +extension own-store +replaces .*\bJobQueue\b/m);
    assert.match(await run('sync --status'), /^ +Leadership: own-store$/m);
  });

  it('show at least one of three edits within a second', async () => {
    const times: number[] = [];
    for (const title of ['First', 'Second', 'Third']) {
      await dashboard.change(`update blogs set title = '${title}' where id = 'blog-1'`);
      const since = performance.now();
      await eventually(async () => assert.equal(await titleOf('blog-1'), title));
      times.push(performance.now() - since);
    }
    assert.ok(Math.min(...times) < 1_000, `took ${times.map(Math.round)} ms`);
  });

  it('refuse a revoked key', async () => {
    const revoked = await newKey('ours');
    await eventually(async () => assert.equal((await ask('tags?website_id=home', revoked)).status, 200));
    await run(`keys revoke --id ${revoked.id}`);
    await eventually(async () => assert.equal((await ask('tags?website_id=home', revoked)).status, 401));
  });

  it('hide a website that moves from its former organization, and show it to the new one', async () => {
    await dashboard.change(`update websites set organization_id = 'theirs' where id = 'shop'`);
    await eventually(async () => assert.deepEqual(await idsFrom('blogs', theirKey), ['offer']));
    await eventually(async () => assert.equal((await ask('blogs/offer')).status, 404));
    await eventually(async () => assert.deepEqual(await idsFrom('categories', theirKey), ['offers']));
    assert.equal((await ask('blogs')).body.pagination?.total, 30);
  });

  it('continue with the standby after the leader is killed', async () => {
    standby = start('sync');
    await standby.printed(/(operators' port is open|operators find this program)/);
    assert.doesNotMatch(standby.output, /this worker leads/);
    await leader.end('SIGKILL');
    await standby.printed(/(this worker leads)/);
    await dashboard.change(`update blogs set title = 'By the standby' where id = 'blog-1'`);
    await eventually(async () => assert.equal(await titleOf('blog-1'), 'By the standby'));
  });

  it('restore rows that the store has lost by sync --rebuild', async () => {
    const store = Database.forWorker(readModel.url);
    await store.execute("delete from blogs where id in ('blog-2', 'blog-3')").finally(() => store.close());
    assert.match(await run('sync --rebuild'), /Everything was read again\./);
    await eventually(async () =>
      assert.equal((await ask('blogs?website_id=home')).body.pagination?.total, 30),
    );
  });

  it('exit with code 0 after SIGTERM', async () => {
    assert.equal(await api.end('SIGTERM'), 0, api.output);
    assert.equal(await standby.end('SIGTERM'), 0, standby.output);
  });
});

interface Key {
  readonly id: string;
  readonly key: string;
}

interface Answer {
  readonly status: number;
  readonly cache: string | null;
  readonly body: {
    readonly data: Readonly<Record<string, string>>;
    readonly pagination?: { readonly total: number };
  };
}
