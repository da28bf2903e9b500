import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../../src/contracts/support/eventually.js';
import { DashboardTraffic, editShown } from '../chaos/dashboard-traffic.js';
import { Findings } from '../chaos/findings.js';
import { Gate } from '../support/clock/gate.js';
import { insertTenants, type Tenant } from '../support/dashboards/dashboard.js';
import { createTestDatabase } from '../support/postgres/test-postgres.js';
import type { RunningProcess } from '../support/programs/running-process.js';
import { RedisServer } from '../support/redis/redis-server.js';
import { redisForTests } from '../support/redis/test-redis.js';
import { skipWithout } from '../support/run-notes.js';
import { Fleet, type Member } from './fleet.js';
import { LIMIT, Load } from './load.js';
import { LockWatch } from './lock-watch.js';
import { Release } from './release.js';

/** How many log lines with errors a failure shows. */
const ERRORS_SHOWN = 5;
const TENANTS = 10;
const LARGE_TABLE = 50_000;
const APIS = 2;
/** How long each state of the fleet lasts: more than two windows. */
const LASTS_MS = 25_000;
const MAX_LOCK_MS = 1_000;

describe('A release that runs together with the previous one, on the same databases and Redis, under load,', function () {
  this.timeout(600_000);
  this.bail(true);

  let old: Release;
  let present: Release;
  let redis: RedisServer;
  let environment: Record<string, string>;
  let writeDatabaseUrl: string;
  let readDatabaseUrl: string;
  let fleet: Fleet;
  let load: Load;
  let traffic: DashboardTraffic;
  const findings = new Findings();
  const stopEdits = new AbortController();
  let edits: Promise<void> = Promise.resolve();
  const workers = new Map<Release, RunningProcess>();
  const tenants = Array.from({ length: TENANTS + 1 }, (_, n) => ({
    organizationId: `org_${n}`,
    keyId: `key_${n}`,
    key: `secret-key-of-org-${n}`,
    blogId: `blog_${n}`,
  }));
  const [greedy, ...readers] = tenants as [Tenant, ...Tenant[]];
  const revoked: string[] = [];

  before(async function () {
    const machine = await redisForTests(this);
    const previous = await Release.previous();
    if (previous === null)
      return skipWithout(this, 'the commit of the previous release (git fetch --unshallow)');
    old = previous;
    present = await Release.present();
    redis = await RedisServer.start(machine);
    [writeDatabaseUrl, readDatabaseUrl] = [await createTestDatabase(), await createTestDatabase()];
    environment = {
      WRITE_DATABASE_URL: writeDatabaseUrl,
      READ_DATABASE_URL: readDatabaseUrl,
      REDIS_URL: redis.url,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      LOG_PRETTY: 'false',
      RATE_LIMIT_MAX: String(LIMIT.max),
      RATE_LIMIT_WINDOW_SECONDS: String(LIMIT.windowSeconds),
    };
    await old.run('dashboard:migrate', environment);
    await old.run('migrate', environment);
    await fill();
    await old.run('sync --once', environment);
    await startWorker(old);
    fleet = new Fleet(environment);
    for (let n = 0; n < APIS; n++) await fleet.add(old);
    traffic = await DashboardTraffic.begin({ writeDatabaseUrl }, tenants);
    await showsAllEdits();
    edits = traffic.edit(stopEdits.signal);
    load = new Load(fleet, readers, greedy, findings, readDatabaseUrl);
  });

  after(async () => {
    stopEdits.abort();
    await edits;
    await load?.stop();
    await traffic?.end();
    await fleet?.end();
    await Promise.all([...workers.values()].map((worker) => worker.end('SIGKILL')));
    await redis?.stop();
    await present?.remove();
  });

  it('begins with a fleet of the previous release', () => serves(['1.0.0']));

  it('applies its migrations during long reports, and keeps no table from others for longer than a second', async () => {
    const watches = await Promise.all(
      [readDatabaseUrl, writeDatabaseUrl].map((url) => LockWatch.start(url, 'blog-read-api migrate')),
    );
    // One report locks the table that is altered, the other has a snapshot from before the index.
    const reports = await Promise.all(['blogs', 'tags'].map((table) => beginReport(table)));
    const migrated = present.run('migrate', environment);
    for (const report of reports) {
      await isWaitedForBy(report);
      await report.query('commit');
      await report.end();
    }
    process.stdout.write((await migrated).replaceAll(/^/gm, '      '));
    for (const watch of watches) {
      const { longestMs, held } = await watch.stop();
      process.stdout.write(`      Locks, in ${watch.looks} looks: ${held.join(', ') || 'none'}\n`);
      expect(longestMs, held.join('\n')).to.be.below(MAX_LOCK_MS);
    }
    await serves(['1.0.0']);
  });

  it('joins the old release', async () => {
    for (let n = 0; n < APIS; n++) await fleet.add(present);
    await startWorker(present);
    await serves(['1.0.0', 'this version']);
  });

  it('replaces the old release', async () => {
    await stopWorker(old);
    await serves(['1.0.0', 'this version']);
    await fleet.remove(old);
    await serves(['this version']);
  });

  it('is joined by the old release again, on tables with the newer migrations', async () => {
    for (let n = 0; n < APIS; n++) await fleet.add(old);
    await startWorker(old);
    await serves(['1.0.0', 'this version']);
  });

  it('is replaced by the old release', async () => {
    await stopWorker(present);
    await serves(['1.0.0', 'this version']);
    await fleet.remove(present);
    await serves(['1.0.0']);
  });

  /** Expects that nothing fails, nothing is stale and no window is exceeded, and that all of this was tested. */
  async function serves(releases: readonly string[]): Promise<void> {
    load.takeAnswers();
    load.takeWindows();
    await Promise.all([pause(LASTS_MS), revokeAKey()]);
    const answers = load.takeAnswers();
    const { admitted, most } = load.takeWindows();
    const excused = load.judgeFailures();
    const rest = new Gate();
    traffic.restUntil(rest.wait());
    try {
      await showsAllEdits();
      for (const member of fleet.members) {
        for (const key of revoked) expect(await statusOf(member, key), member.release).to.equal(401);
      }
    } finally {
      rest.open();
    }
    const count = (all: Readonly<Record<string, number>>) => Object.values(all).reduce((a, b) => a + b, 0);
    process.stdout.write(
      `      ${count(answers)} answers (${JSON.stringify(answers)}), ${count(admitted)} of one key accepted, ${most} at most in a window, ${excused} failed because the computer was too slow\n`,
    );
    expect(findings.all, errorsOf(fleet.members)).to.eql([]);
    expect(Object.keys(answers)).to.have.members([...releases]);
    expect(Object.keys(admitted)).to.have.members([...releases]);
    expect(most).to.be.within(LIMIT.max / 2, LIMIT.max);
  }

  /** Expects that all members show the newest edit of each blog soon after the last one. */
  async function showsAllEdits(): Promise<void> {
    await eventually(async () => {
      const newest = await traffic.newestEdits();
      for (const { address, release } of fleet.members) {
        for (const { key, blogId } of readers) {
          const headers = { 'X-API-Key': key };
          const answer = await fetch(`${address}/api/v1/blogs/${blogId}`, { headers });
          // The load may have used the whole window.
          if (answer.status === 429) continue;
          expect(editShown(await answer.text()), `${blogId} of ${release}`).to.equal(newest.get(blogId));
        }
      }
    });
  }

  async function revokeAKey(): Promise<void> {
    const { key } = await traffic.createKey(greedy.organizationId);
    const expectAll = (status: number) =>
      eventually(async () => {
        for (const member of fleet.members) expect(await statusOf(member, key)).to.equal(status);
      });
    await expectAll(200);
    await traffic.revoke(key, () => {});
    await expectAll(401);
    revoked.push(key);
  }

  async function statusOf({ address }: Member, key: string): Promise<number> {
    const answer = await fetch(`${address}/api/v1/categories`, { headers: { 'X-API-Key': key } });
    await answer.text();
    return answer.status;
  }

  async function startWorker(release: Release): Promise<void> {
    const worker = release.start('sync', environment);
    workers.set(release, worker);
    const adminAddress = await worker.printed(/"adminAddress":"([^"]+)"/);
    await eventually(async () => expect((await fetch(`${adminAddress}/readyz`)).status).to.equal(200));
  }

  async function stopWorker(release: Release): Promise<void> {
    expect(await workers.get(release)?.end('SIGTERM'), `the worker of ${release.name}`).to.equal(0);
    workers.delete(release);
  }

  async function beginReport(table: string): Promise<pg.Client> {
    const client = new pg.Client(readDatabaseUrl);
    await client.connect();
    await client.query(`begin isolation level repeatable read; select count(*) from content_read.${table}`);
    return client;
  }

  /**
   * Waits until another session waits for a lock of this transaction. Within a transaction, pg_stat_activity would
   * never change.
   */
  async function isWaitedForBy(client: pg.Client): Promise<void> {
    const {
      rows: [own],
    } = await client.query('select pg_backend_pid() as pid');
    await eventually(async () => {
      const { rows } = await client.query(
        'select pid from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))',
        [own.pid],
      );
      expect(rows).to.have.length.above(0);
    });
  }

  async function fill(): Promise<void> {
    const client = new pg.Client(writeDatabaseUrl);
    await client.connect();
    try {
      await insertTenants((sql, bindings) => client.query(sql, bindings), tenants);
      await client.query(`insert into organizations (id, name) values ('large', 'Large')`);
      await client.query(`insert into websites (id, organization_id, name) values ('web', 'large', '')`);
      await client.query(
        `insert into blogs (id, website_id, title, slug, status, published_at)
         select 'large ' || n, 'web', 'Title ' || n, 'slug-' || n, 'published', now() - n * interval '1 minute'
         from generate_series(1, $1::int) as n`,
        [LARGE_TABLE],
      );
    } finally {
      await client.end();
    }
  }
});

/** The log lines of the programs with level error. */
function errorsOf(members: readonly Member[]): string {
  const lines = members.flatMap(({ program }) => program.output.split('\n'));
  return lines
    .filter((line) => line.startsWith('{"level":50'))
    .slice(-ERRORS_SHOWN)
    .join('\n');
}
