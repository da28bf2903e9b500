import { expect } from 'chai';
import pg from 'pg';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { openDashboardDatabase, sharesSessions } from '../../../src/adapters/sql/postgres/open-database.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { SyncProgram } from '../../../src/programs/sync/sync-program.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { makeHostile } from '../../support/postgres/hostile-settings.js';
import { complaints, findings } from '../../support/programs/doctor-findings.js';
import { RunningProgram } from '../../support/programs/program.js';
import { syncSettings } from '../../support/sync/sync-settings.js';
import { PgBouncerServer, pgBouncerForTests } from './pgbouncer-server.js';

/** Settings of a session that change what the API reads, or for how long. */
const HOSTILE = ['datestyle', 'timezone', 'search_path', 'jit'];

describe('The API behind a PgBouncer in transaction mode', () => {
  let dashboard: Dashboard;
  let bouncer: PgBouncerServer;
  let direct: pg.Client;
  let api: RunningProgram;
  let address: string;

  before(async function () {
    const program = await pgBouncerForTests(this);
    dashboard = await Dashboard.create(6);
    const database = openDashboardDatabase(dashboard.readDatabaseUrl);
    await makeHostile(database, null, HOSTILE);
    await database.raw(`do $$ begin
      execute format('alter role %I in database %I set statement_timeout = ''1s''', current_user, current_database());
    end $$`);
    await database.destroy();
    bouncer = await PgBouncerServer.before(program, dashboard.readDatabaseUrl);
    direct = new pg.Client(dashboard.readDatabaseUrl);
    await direct.connect();
    api = new RunningProgram(['api'], {
      PORT: '0',
      ADMIN_PORT: '0',
      HOST: '127.0.0.1',
      READ_DATABASE_URL: bouncer.url,
    });
    address = await api.printed(/"address":"([^"]+)"/);
  });

  after(async () => {
    await api?.end('SIGTERM');
    await direct?.end();
    await bouncer?.stop();
  });

  const get = (key: string, path: string) => sendRequest(address, path, { 'X-API-Key': key });

  it('answers on all five endpoints under any number of simultaneous requests', async () => {
    const { key, blogId, organizationId } = dashboard.tenant();
    const website = encodeURIComponent(`web of ${organizationId}`);
    const paths = [
      '/api/v1/blogs?search=first',
      `/api/v1/blogs/${blogId}`,
      `/api/v1/blogs/slug/${blogId}?website_id=${website}`,
      '/api/v1/categories',
      '/api/v1/tags',
    ];
    const answers = await Promise.all(paths.map((path) => get(key, path)));
    expect(answers.map(({ status }) => status)).to.eql([200, 200, 200, 200, 200]);
    expect(answers[0]?.json().data[0].publishedAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('ends a query that hangs by the time limit of its role, on a connection without session settings', async () => {
    const { key } = dashboard.tenant();
    const hanging = async () => {
      // Otherwise a transaction sees the same statistics on every read.
      await direct.query('select pg_stat_clear_snapshot()');
      const { rows } = await direct.query(
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%content_read%tags%'",
      );
      return rows.length;
    };
    expect((await get(key, '/api/v1/blogs')).status).to.equal(200);
    await bouncer.reconnect();
    await direct.query('begin; lock table content_read.tags in access exclusive mode');
    try {
      const answer = get(key, '/api/v1/tags');
      await eventually(async () => expect(await hanging()).to.equal(1));
      expect((await answer).status).to.equal(500);
      // The lock is still held.
      await eventually(async () => expect(await hanging()).to.equal(0));
      // The API reports the cancellation or, on a busy machine, its own timeout, which is a little longer.
      await eventually(() => {
        const errors = api.output.split('\n').filter((line) => line.includes('"level":50'));
        expect(
          /canceling statement due to|Defined query timeout/.test(errors.join()),
          errors.join(),
        ).to.equal(true);
      });
    } finally {
      await direct.query('rollback');
    }
    // The circuit breaker closes with its next probe.
    await eventually(async () => expect((await get(key, '/api/v1/tags')).status).to.equal(200));
  });
});

describe('Two sync workers behind PgBouncers', () => {
  const POOLED = 'a pooler in transaction mode is in between, and the sync worker needs its own sessions';
  const ADVICE = 'to the server itself, or run the pooler in session mode';
  let program: string;
  let dashboard: Dashboard;
  let bouncers: readonly PgBouncerServer[] = [];
  let workers: readonly SyncProgram[] = [];

  before(async function () {
    program = await pgBouncerForTests(this);
    dashboard = await Dashboard.create(2);
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await Promise.all(bouncers.map((bouncer) => bouncer.stop()));
    workers = bouncers = [];
  });

  type Mode = 'transaction' | 'session' | null;

  /** `null`: without a pooler. */
  async function start(modes: { readonly read: Mode; readonly write: Mode }) {
    const { readDatabaseUrl, writeDatabaseUrl } = dashboard;
    const urlBehind = async (mode: Mode, url: string) => {
      if (mode === null) return url;
      const bouncer = await PgBouncerServer.before(program, url, mode);
      bouncers = [...bouncers, bouncer];
      return bouncer.url;
    };
    const settings = syncSettings({
      readDatabaseUrl: await urlBehind(modes.read, readDatabaseUrl),
      writeDatabaseUrl: await urlBehind(modes.write, writeDatabaseUrl),
    });
    workers = [1, 2].map(() => new SyncProgram(settings, new PrometheusMetrics()));
    await Promise.all(workers.map((worker) => worker.start()));
    return { ...settings, redisUrls: null, redisCacheUrls: null };
  }

  for (const [modes, variable, name] of [
    [{ read: 'transaction', write: null }, 'READ_DATABASE_URL', 'readSessions'],
    [{ read: null, write: 'transaction' }, 'WRITE_DATABASE_URL', 'dashboardSessions'],
  ] as const) {
    it(`do not lead in transaction mode, and say so, as does the doctor: ${variable}`, async () => {
      const settings = await start(modes);
      for (const worker of workers) {
        await eventually(async () => {
          const syncing = worker.checks().find(({ name }) => name === 'syncing');
          expect((await syncing?.run())?.message).to.match(
            new RegExp(
              `^changes wait: the last \\d+ sessions failed: ${variable}: ${POOLED}: set ${variable} ${ADVICE}$`,
            ),
          );
        });
        expect(worker.loop.epoch).to.equal(null);
      }
      const shared = (await findings(settings)).filter(({ check }) => check.endsWith('Sessions'));
      expect(shared.filter(({ outcome }) => outcome !== 'ok')).to.eql([
        {
          check: name,
          code: name,
          isNeeded: false,
          outcome: 'failure',
          message: POOLED,
          advice: `set ${variable} ${ADVICE}`,
        },
      ]);
      expect(shared).to.have.length(2);
    });
  }

  it('are told apart from those in session mode, 20 of 20 times, however busy the pooler is', async () => {
    for (const mode of ['transaction', 'session'] as const) {
      const bouncer = await PgBouncerServer.before(program, dashboard.readDatabaseUrl, mode);
      bouncers = [...bouncers, bouncer];
      const database = openDashboardDatabase(bouncer.url);
      const answers = new Set<boolean>();
      for (const clients of [0, 8]) {
        let isDone = false;
        const busy = Array.from({ length: clients }, async () => {
          const client = openDashboardDatabase(bouncer.url);
          while (!isDone) await client.raw('select pg_sleep(random() / 500)');
          await client.destroy();
        });
        for (let look = 0; look < 20; look++) answers.add(await sharesSessions(database));
        isDone = true;
        await Promise.all(busy);
      }
      await database.destroy();
      expect([...answers], mode).to.eql([mode === 'transaction']);
    }
  });

  it('sync in session mode, and the doctor has no objection', async () => {
    const settings = await start({ read: 'session', write: 'session' });
    const { blogId, organizationId } = dashboard.tenant();
    await dashboard.sql(`update blogs set title = 'pooled' where id = $1`, [blogId]);
    const database = openDashboardDatabase(dashboard.readDatabaseUrl);
    await eventually(async () => {
      const [blog] = await database('content_read.blogs').where({
        id: blogId,
        organization_id: organizationId,
      });
      expect(blog.title).to.equal('pooled');
    });
    await database.destroy();
    await eventually(async () => expect(await complaints(settings)).to.eql([]));
  });
});
