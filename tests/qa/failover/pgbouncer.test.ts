import { expect } from 'chai';
import pg from 'pg';
import { openDashboardDatabase } from '../../../src/adapters/postgres/connection/open-database.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { makeHostile } from '../../support/postgres/hostile-settings.js';
import { complaints } from '../../support/programs/doctor-findings.js';
import { RunningProgram } from '../../support/programs/program.js';
import { PgBouncerServer, pgBouncerForTests } from './pgbouncer-server.js';

const LIMIT = 20;
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
    await database.destroy();
    bouncer = await PgBouncerServer.before(program, dashboard.readDatabaseUrl);
    direct = new pg.Client(dashboard.readDatabaseUrl);
    await direct.connect();
    api = new RunningProgram(['api'], {
      PORT: '0',
      ADMIN_PORT: '0',
      HOST: '127.0.0.1',
      READ_DATABASE_URL: bouncer.url,
      RATE_LIMIT_MAX: String(LIMIT),
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

  it('applies the limit, and refuses a revoked key', async () => {
    const limited = dashboard.tenant();
    const answers = await Promise.all(
      Array.from({ length: LIMIT + 5 }, () => get(limited.key, '/api/v1/tags')),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.length(LIMIT);
    expect(answers.filter(({ status }) => status === 429)).to.have.length(5);

    const revoked = dashboard.tenant();
    expect((await get(revoked.key, '/api/v1/tags')).status).to.equal(200);
    await dashboard.revokeKeyOf(revoked);
    await dashboard.sync();
    await eventually(async () => expect((await get(revoked.key, '/api/v1/tags')).status).to.equal(401));
  });

  it('shows an edit once it is in the read tables', async () => {
    const tenant = dashboard.tenant();
    expect((await get(tenant.key, '/api/v1/blogs')).text).to.contain('First title');
    await dashboard.rename(tenant, 'Title behind a pooler');
    await dashboard.sync();
    await eventually(async () =>
      expect((await get(tenant.key, '/api/v1/blogs')).text).to.contain('Title behind a pooler'),
    );
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
