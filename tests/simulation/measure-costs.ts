import { readdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { Redis } from 'ioredis';
import pg from 'pg';
import { eventually } from '../../src/contracts/support/eventually.js';
import { processorTimeOf } from '../bench/processor-time.js';
import { LIST, ReadStage } from '../bench/read-stage.js';
import { sendRequest } from '../support/http/send-request.js';
import type { Costs } from './costs.js';

/** The blogs of each website, with 6 KB, one category and two tags: enough to fill the pages of tables and indexes. */
const BLOGS_OF_EACH = 400;
const REQUESTS = 1_000;
const EDITS = 2_000;
/** The same as in `npm run bench`. */
const AT_A_TIME = 32;
const MS_PER_TICK = 10;
const TIMEOUT_MS = 300_000;

const CONTENT = `
  insert into tags (id, website_id, name, slug) select 'tag ' || n || ' of ' || id, id, 'Tag ' || n, 'tag-' || n from websites, generate_series(1, 2) as n;
  insert into blogs (id, website_id, title, slug, excerpt, meta_description, content_html, status, published_at)
  select w.id || ' more ' || n, w.id, 'Blog ' || n || ' ' || md5(w.id || n), 'more-' || n, 'What blog ' || n || ' is about',
    'A sentence that search engines show below the title of blog ' || n,
    '<p>' || (select string_agg(md5(w.id || n || ' ' || part) || ' and some words that repeat. ', '') from generate_series(1, 96) as part) || '</p>',
    'published', now() - n * interval '1 hour'
  from websites w, generate_series(1, ${BLOGS_OF_EACH}) as n;
  insert into blog_categories (blog_id, category_id) select id, 'category of ' || website_id from blogs where slug like 'more-%';
  insert into blog_tags (blog_id, tag_id) select id, 'tag ' || n || ' of ' || website_id from blogs, generate_series(1, 2) as n where slug like 'more-%';`;

/** Takes about a minute. On a busy machine the same work shows more processor time. */
async function measureCosts(): Promise<void> {
  const stage = await ReadStage.set();
  const { dashboard, redis } = stage;
  const tables = new pg.Client(dashboard.readDatabaseUrl);
  const write = new pg.Client(dashboard.writeDatabaseUrl);
  await Promise.all([tables.connect(), write.connect()]);
  const store = new Redis(redis.url);
  try {
    await write.query(CONTENT);
    await dashboard.sync(redis.url);
    await tables.query('vacuum full');
    await tables.query('analyze');
    const { rows } = await tables.query<{ id: string; key: string }>(
      `select id from content_read.blogs where organization_id = 'org_0' and slug like 'more-%' order by id`,
    );
    const blogs = rows.map(({ id }) => `/api/v1/blogs/${encodeURIComponent(id)}`);
    const lists = Array.from({ length: 20 }, (_, page) => `${LIST}?page=${page + 1}`);
    const paths = [...blogs, ...lists];
    const [one, other] = [await stage.api(true), await stage.api(true)];
    const keys = stage.keysOfOne;
    const server = await serverOf(tables);
    const times = async (api: typeof one) => {
      const [postgres, ofRedis, ofApi] = [
        await treeTime(server),
        await stage.redisTime(),
        await api.processorTime(),
      ];
      return { postgres, redis: ofRedis, api: ofApi };
    };
    const costOf = async (
      api: typeof one,
      rounds: number,
      before: () => Promise<unknown> = async () => {},
    ) => {
      const sum = { api: 0, redis: 0, postgres: 0 };
      for (let round = 0; round < rounds; round++) {
        await before();
        const begin = await times(api);
        await sendAll(api.address, paths, keys);
        const end = await times(api);
        for (const part of ['api', 'redis', 'postgres'] as const) sum[part] += end[part] - begin[part];
      }
      const each = (ms: number) => Math.round((ms * 1000) / (rounds * paths.length));
      return { api: each(sum.api), redis: each(sum.redis), postgres: each(sum.postgres) };
    };
    const rounds = Math.ceil((REQUESTS * 5) / paths.length);
    /** Has the effect of an edit. */
    const invalidate = async () => {
      await tables.query(
        `update content_read.organizations set generation = generation + 1 where organization_id = 'org_0'`,
      );
      await store.eval(DELETE_ALL, 0, '*{=org_0}:generation');
      await sendAll(one.address, ['/api/v1/tags'], keys.slice(0, 2));
      await sendAll(other.address, ['/api/v1/tags'], keys.slice(0, 2));
    };
    /** The other process finds the answers of the first one in Redis. */
    const computeElsewhere = async () => {
      await invalidate();
      await sendAll(one.address, paths, keys);
    };
    await costOf(one, 4, invalidate);
    const computed = await costOf(one, rounds, invalidate);
    await costOf(other, 4, computeElsewhere);
    const shared = await costOf(other, rounds, computeElsewhere);
    const bodies = await Promise.all(
      [blogs[0], lists[0], `${LIST}?search=blog+1`].map((path) =>
        lengthOf(one.address, path as string, keys[0] as string),
      ),
    );
    const memory = await memoryOf(store);
    const edit = await costOfEdits(stage, tables, write, server);
    const costs: Costs = {
      at: new Date().toISOString(),
      machine: `${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)} at the end`,
      requests: { near: await nearFromFigures(), shared, computed },
      edit,
      bytes: {
        ...(await bytesOfBlog(tables)),
        detail: bodies[0] as number,
        list: bodies[1] as number,
        search: bodies[2] as number,
        ...memory,
      },
      memoryOfApi: Math.round((await one.residentMegabytes()) * 2 ** 20),
    };
    await writeFile(new URL('costs.json', import.meta.url), `${JSON.stringify(costs, null, 2)}\n`);
    process.stdout.write(`${JSON.stringify(costs, null, 2)}\n`);
  } finally {
    store.disconnect();
    await Promise.all([tables.end(), write.end()]);
    await stage.strike();
  }
}

const DELETE_ALL = `for _, name in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', name) end`;

async function costOfEdits(
  stage: ReadStage,
  tables: pg.Client,
  write: pg.Client,
  server: number,
): Promise<Costs['edit']> {
  const worker = stage.worker();
  const settled = () =>
    eventually(async () => {
      const { rows } = await write.query('select count(*)::int as waiting from content_sync.change_queue');
      if (rows[0].waiting > 0) throw new Error(`${rows[0].waiting} changes wait`);
    }, TIMEOUT_MS);
  await write.query(`update blogs set excerpt = 'warm' where slug = 'more-1'`);
  await settled();
  const workerTime = await processorTimeOf(worker.pid);
  const [serverTime, wal] = [await treeTime(server), await walOf(tables)];
  for (let n = 0; n < EDITS; n++) {
    const website = `web of org_${n % 20}`;
    await write.query('update blogs set title = $1 where id = $2', [
      `Edit ${n}`,
      `${website} more ${1 + (n % BLOGS_OF_EACH)}`,
    ]);
  }
  await settled();
  const perEdit = (total: number) => total / EDITS;
  const ofEdits = {
    worker: Math.round(perEdit(((await processorTimeOf(worker.pid)) - workerTime) * 1000)),
    postgres: Math.round(perEdit(((await treeTime(server)) - serverTime) * 1000)),
    walBytes: Math.round(perEdit((await walOf(tables)) - wal)),
  };
  await worker.end('SIGTERM');
  return { ...ofEdits, ...(await timesFromFigures()) };
}

/** Times, and costs of fractions of a millisecond, come from `npm run bench` on a quiet machine. */
async function figure(section: string, what: string): Promise<string> {
  const figures = JSON.parse(
    await readFile(new URL('../../docs/benchmarks/figures.json', import.meta.url), 'utf8'),
  );
  const found = figures[section].figures.find((each: { what: string }) => each.what.startsWith(what));
  return found.measured;
}

async function timesFromFigures(): Promise<Pick<Costs['edit'], 'fanOutMs' | 'aloneMs'>> {
  const seconds = Number.parseFloat(await figure('bulk', 'bulk update of 20000 blogs'));
  const [, p50] = /p50 (\d+) ms/.exec(await figure('sync', 'commit to visible, nothing else going on')) ?? [];
  return { fanOutMs: Number(((seconds * 1_000) / 20_000).toFixed(3)), aloneMs: Number(p50) };
}

async function nearFromFigures(): Promise<Costs['requests']['near']> {
  const hits = await Promise.all(
    ['a list of 20', 'one blog with 6 KB'].map((of) =>
      figure('reads', `warm HIT of ${of}, Node v20.20.2: with Redis, of Koa`),
    ),
  );
  const mean = (pattern: RegExp) =>
    Math.round(hits.reduce((sum, hit) => sum + Number(pattern.exec(hit)?.[1]), 0) / hits.length);
  return { api: mean(/, (\d+) : \d+ µs/), redis: mean(/Redis (\d+) µs/), postgres: 0 };
}

async function sendAll(address: string, paths: readonly string[], keys: readonly string[]): Promise<void> {
  const left = [...paths.entries()];
  const send = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [n, path] = next;
      await (
        await fetch(`${address}${path}`, { headers: { 'X-API-Key': keys[n % keys.length] as string } })
      ).arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, send));
}

async function lengthOf(address: string, path: string, key: string): Promise<number> {
  const { text } = await sendRequest(address, path, { 'X-API-Key': key });
  return Buffer.byteLength(text);
}

/** The memory in Redis in addition to bodies, and that of the log of a key with a usual number of requests. */
async function memoryOf(store: Redis): Promise<{ entryInRedis: number; windowInRedis: number }> {
  const names = await store.keys('*:answer:*');
  const sizes = await Promise.all(
    names
      .slice(0, 200)
      .map(async (name) => ((await store.memory('USAGE', name)) ?? 0) - (await store.strlen(name))),
  );
  const window = 'measured-window';
  await store.rpush(
    window,
    ...Array.from({ length: 100 }, (_, n) => String(1_800_000_000_000_000 + n * 600_000)),
  );
  return {
    entryInRedis: Math.round(sizes.reduce((sum, size) => sum + size, 0) / sizes.length),
    windowInRedis: (await store.memory('USAGE', window)) ?? 0,
  };
}

async function bytesOfBlog(tables: pg.Client): Promise<Pick<Costs['bytes'], 'ofBlog' | 'ofBlogInAll'>> {
  const { rows } = await tables.query<{ name: string; bytes: string; blogs: string }>(`
    select relname as name, pg_total_relation_size(pg_class.oid) as bytes, (select count(*) from content_read.blogs) as blogs
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = 'content_read' and relkind = 'r' order by relname`);
  const ofEach = rows.map(
    ({ name, bytes, blogs }) => [name, Math.round(Number(bytes) / Number(blogs))] as const,
  );
  const ofBlog = Object.fromEntries(ofEach.filter(([, bytes]) => bytes > 5));
  return { ofBlog, ofBlogInAll: Object.values(ofBlog).reduce((sum, bytes) => sum + bytes, 0) };
}

async function walOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes`,
  );
  return Number(rows[0]?.bytes);
}

/** The parent process of all sessions of the server. */
async function serverOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return (await statOf(rows[0]?.pid ?? 0)).parent;
}

/** The processor time of a process and of its child processes, including ended ones, in milliseconds. */
async function treeTime(pid: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = await Promise.all(pids.map((each) => statOf(each).catch(() => null)));
  const own = await statOf(pid);
  const children = all.filter((stat) => stat?.parent === pid);
  return children.reduce((sum, stat) => sum + (stat?.ownMs ?? 0), own.ownMs + own.endedMs);
}

async function statOf(pid: number): Promise<{ parent: number; ownMs: number; endedMs: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
  return {
    parent: fields[1] ?? 0,
    ownMs: (user + system) * MS_PER_TICK,
    endedMs: (endedUser + endedSystem) * MS_PER_TICK,
  };
}

await measureCosts();
