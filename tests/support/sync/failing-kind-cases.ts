import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Knex } from 'knex';
import type { Context } from 'mocha';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { SyncProgram } from '../../../src/programs/sync/sync-program.js';
import { TcpProxy } from '../network/tcp-proxy.js';
import { syncSettings } from './sync-settings.js';
import type { SyncedDatabases } from './synced-databases.js';

export const NAMED_BLOGS = `select id, website_id, named(id, title) as title, slug, excerpt, meta_title, meta_description, featured_image_url,
  featured_image_alt, content_html, word_count, reading_time_minutes, status, published_at from stored_blogs`;

const BLOGS = 500;
const REVOCATIONS = 6;
/** Half of the revocations: the read by which a kind turns out to be slow takes 8 s, all others one. */
const MEDIAN_REVOKED_WITHIN_MS = 4_000;

/**
 * A dashboard in which `title` of a blog is the result of `named(id, title)`, a function with the caller's rights. What
 * it does is the `mode` in the table `texts`: `broken`, `asleep`, `table` or `function`, as that is missing; `broken 7`
 * is only for the blog with that id.
 */
export interface FailingKind {
  readonly databases: SyncedDatabases;
  /** The user of the worker. */
  readonly worker: string;
}

interface Fault {
  readonly what: string;
  readonly roundTripMs: number;
  readonly begin: (dashboard: Knex, worker: string) => Promise<unknown>;
}

const isIn = (mode: string) => (dashboard: Knex) => dashboard('texts').update({ mode });
const without = (table: string) => (dashboard: Knex, worker: string) =>
  dashboard.raw(`revoke select on ${table} from ${worker}`);

const FAULTS: readonly Fault[] = [
  ...[0, 6, 40].flatMap((roundTripMs) => [
    { what: 'an expression is broken', roundTripMs, begin: isIn('broken') },
    { what: 'an expression sleeps', roundTripMs, begin: isIn('asleep') },
  ]),
  { what: 'a right on a table is lost', roundTripMs: 6, begin: without('blogs') },
  { what: 'a right is lost inside a function', roundTripMs: 6, begin: without('texts') },
  { what: 'a table is missing inside a function', roundTripMs: 6, begin: isIn('table') },
  { what: 'a function is missing inside a function', roundTripMs: 6, begin: isIn('function') },
];

/** What the sync promises on each engine while all blogs cannot be read, and while one cannot be. */
export function failingKindCases(open: (context: Context) => Promise<FailingKind>): void {
  let given: FailingKind;
  let proxy: TcpProxy;
  let program: SyncProgram;
  const folder = mkdtempSync(join(tmpdir(), 'failing-kinds-'));
  const log = join(folder, 'log');
  let keys = 0;

  before(async function () {
    given = await open(this);
    const { dashboard, writeDatabaseUrl } = given.databases;
    await dashboard('organizations').insert({ id: 'org', name: 'O' });
    await dashboard('websites').insert({ id: 'web', organization_id: 'org', name: 'W' });
    const times = { status: 'published', published_at: '2024-01-01 00:00:00', content_html: '' };
    const blogs = Array.from({ length: BLOGS }, (_, n) => ({ id: `${n}`, slug: `s${n}`, website_id: 'web' }));
    await dashboard('stored_blogs').insert(blogs.map((blog) => ({ ...blog, ...times, title: 'First' })));
    const categories = Array.from({ length: 20 }, (_, n) => ({ id: `c${n}`, slug: `c${n}`, name: 'C' }));
    await dashboard('categories').insert(categories.map((category) => ({ ...category, website_id: 'web' })));
    proxy = await TcpProxy.before(Number(new URL(writeDatabaseUrl).port));
    const settings = { ...syncSettings(given.databases), writeDatabaseUrl: proxy.url(writeDatabaseUrl) };
    const logTo = { fd: openSync(log, 'w') };
    program = new SyncProgram({ ...settings, logLevel: 'info' }, new PrometheusMetrics(), logTo);
    await program.start();
    await titled('First');
    await quiet();
  });
  afterEach(async () => {
    await mend();
    await quiet();
  });
  after(async () => {
    await program?.stop();
    await proxy?.stop();
    await given?.databases.close();
    rmSync(folder, { recursive: true });
  });

  const read = (table: string) => given.databases.readTables.withSchema('content_read').from(table);
  const shown = async (where: object = {}) =>
    Number((await read('blogs').where(where).count({ total: '*' }))[0]?.total);
  const titled = (title: string) => eventually(async () => expect(await shown({ title })).to.equal(BLOGS));
  const retitle = (title: string) => given.databases.dashboard('stored_blogs').update({ title });
  // Keys are read again every ten seconds, since the view has no trigger.
  const requests = () =>
    read('sync_jobs').whereNull('finished_at').whereNotIn('scope', ['reconcile', 'apiKeys']).pluck('scope');
  const quiet = () => eventually(async () => expect(await requests()).to.eql([]));
  const toldOf = (message: string) => readFileSync(log, 'utf8').split(message).length - 1;
  const mend = async () => {
    const { databases, worker } = given;
    await databases.dashboard('texts').update({ mode: 'fine' });
    for (const table of ['blogs', 'texts'])
      await databases.dashboard.raw(`grant select on ${table} to ${worker}`);
  };

  /** Until it is refused, in milliseconds. */
  async function revocation(): Promise<number> {
    const id = `key_${keys++}`;
    const key = { id, organization_id: 'org', name: id, key_hash: id };
    await given.databases.dashboard('api_keys').insert(key);
    await eventually(async () => expect(await read('api_keys').where({ id })).to.have.lengthOf(1));
    const begin = performance.now();
    await given.databases.dashboard('api_keys').where({ id }).delete();
    while ((await read('api_keys').where({ id })).length > 0) await pause(10);
    return performance.now() - begin;
  }

  for (const [n, { what, roundTripMs, begin }] of FAULTS.entries()) {
    it(`while ${what}, ${roundTripMs} ms away, nothing vanishes or waits, and soon after all is right`, async () => {
      proxy.delay(roundTripMs / 2);
      const toldBefore = toldOf('fails as a whole');
      await begin(given.databases.dashboard, given.worker);
      await retitle(`Edited ${n}`);
      const revocations: number[] = [];
      while (revocations.length < REVOCATIONS) revocations.push(await revocation());
      await eventually(async () => expect(await given.databases.queueLength()).to.equal(0));
      expect(await shown()).to.equal(BLOGS);
      expect(await read('unshown_rows')).to.eql([]);
      expect(await requests()).to.eql(['allBlogs']);
      expect(toldOf('fails as a whole') - toldBefore).to.equal(1);
      const median = revocations.toSorted((one, other) => one - other)[REVOCATIONS / 2 - 1];
      expect(median).to.be.below(MEDIAN_REVOKED_WITHIN_MS);
      await mend();
      await titled(`Edited ${n}`);
    });
  }

  for (const mode of ['broken 7', 'asleep 7']) {
    it(`hides a blog that was changed and is ${mode.split(' ')[0]}, and no other, until it can be read`, async () => {
      proxy.delay(3);
      await isIn(mode)(given.databases.dashboard);
      await given.databases.dashboard('stored_blogs').where({ id: '7' }).update({ title: 'Taken down?' });
      await eventually(async () => expect(await shown({ id: '7' })).to.equal(0));
      expect(await shown()).to.equal(BLOGS - 1);
      await mend();
      await given.databases.dashboard('stored_blogs').where({ id: '7' }).update({ title: 'Shown' });
      await eventually(async () => expect(await shown()).to.equal(BLOGS));
      expect(await read('unshown_rows')).to.eql([]);
    });
  }

  it('leaves one request and one line of log after 3,000 edits of 20 categories', async () => {
    proxy.delay(0);
    const toldBefore = toldOf('fails as a whole');
    await without('blogs')(given.databases.dashboard, given.worker);
    for (let n = 0; n < 150; n++) await given.databases.dashboard('categories').update({ name: `C${n}` });
    await eventually(async () => expect(await given.databases.queueLength()).to.equal(0));
    await eventually(async () => expect(await requests()).to.eql(['allBlogs']));
    expect(toldOf('fails as a whole') - toldBefore).to.equal(1);
    expect(new Set(await read('categories').pluck('name'))).to.eql(new Set(['C149']));
    await mend();
    await eventually(async () => expect(await requests()).to.eql([]));
  });
}
