import { expect } from 'chai';
import pg from 'pg';
import { openDashboardDatabase } from '../../../src/adapters/sql/postgres/open-database.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { makeHostile } from '../../support/postgres/hostile-settings.js';
import { complaints } from '../../support/programs/doctor-findings.js';
import { RunningProgram } from '../../support/programs/program.js';
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

  it('has a database address that the doctor reports as unsuitable for the sync worker', async () => {
    const found = await complaints({
      readDatabaseUrl: bouncer.url,
      writeDatabaseUrl: dashboard.writeDatabaseUrl,
      redisUrls: null,
      redisCacheUrls: null,
    });
    expect(found.join('\n')).to.contain('warning read database: direct connection: a pooler is in between');
    expect(found.join('\n')).not.to.contain('dashboard: direct connection');
  });
});
