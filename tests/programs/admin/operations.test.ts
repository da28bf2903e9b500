import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf, adminAddressOf, environmentOf, leads } from '../../support/programs/running-programs.js';
import { sampleOf } from '../../support/programs/scrape.js';

const OK = { status: 'ok' };

describe("The operators' port of the API and of a worker, side by side,", () => {
  let dashboard: Dashboard;
  const proxies = {} as { write: TcpProxy; read: TcpProxy };
  let api: RunningProgram;
  let worker: RunningProgram;
  let ofApi: string;
  let ofWorker: string;

  before(async () => {
    dashboard = await Dashboard.create(3);
    proxies.write = await TcpProxy.before(Number(new URL(dashboard.writeDatabaseUrl).port));
    proxies.read = await TcpProxy.before(Number(new URL(dashboard.readDatabaseUrl).port));
    const environment = environmentOf({
      writeDatabaseUrl: proxies.write.url(dashboard.writeDatabaseUrl),
      readDatabaseUrl: proxies.read.url(dashboard.readDatabaseUrl),
    });
    api = new RunningProgram(['api'], environment);
    worker = new RunningProgram(['sync'], environment);
    [ofApi, ofWorker] = await Promise.all([adminAddressOf(api), adminAddressOf(worker)]);
    await leads(worker);
  });

  after(async () => {
    await Promise.all([api?.end('SIGKILL'), worker?.end('SIGKILL')]);
    await Promise.all([proxies.write?.stop(), proxies.read?.stop()]);
  });

  async function readiness(of: string) {
    const { status, text } = await askOperators(of, '/readyz');
    return { code: status, ...JSON.parse(text) };
  }

  const isReady = (of: string) =>
    eventually(async () => expect(await readiness(of)).to.include({ code: 200, status: 'ready' }));

  async function sample(of: string, name: string): Promise<number | null> {
    return sampleOf((await askOperators(of, '/metrics')).text, name);
  }

  it('reports the API as ready once connections to the read database are open', async () => {
    const toRead = await TcpProxy.before(Number(new URL(dashboard.readDatabaseUrl).port));
    const starting = new RunningProgram(['api'], {
      ...environmentOf({ ...dashboard, readDatabaseUrl: toRead.url(dashboard.readDatabaseUrl) }),
      ADMIN_PORT: '0',
    });
    try {
      const admin = await adminAddressOf(starting);
      // The check of the tables opens only two connections at once.
      await isReady(admin);
      expect(toRead.connections).to.be.at.least(4);
    } finally {
      await starting.end('SIGKILL');
      await toRead.stop();
    }
  });

  it('is a different one on loopback for each program, if none is configured', async () => {
    expect(ofApi).not.to.equal(ofWorker);
    for (const [program, address] of [[api, ofApi] as const, [worker, ofWorker] as const]) {
      expect(address).to.match(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(program.output.includes('set ADMIN_PORT')).to.equal(!address.endsWith(':3001'));
    }
  });

  it('serves the API description if there is an API', async () => {
    const { text } = await askOperators(ofApi, '/openapi.json');
    expect(text).to.equal(await readFile('docs/openapi.json', 'utf8'));
    expect((await askOperators(ofWorker, '/openapi.json')).status).to.equal(404);
  });

  it('serves the description as a page, with everything that the page loads', async () => {
    const page = await askOperators(ofApi, '/docs');
    const named = [...page.text.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path]) => String(path));
    expect(named).to.have.length(3);
    for (const path of named) expect((await askOperators(ofApi, path)).status, path).to.equal(200);
  });

  it('forwards requests of that page to the API, as if they had arrived on its public port', async () => {
    const { key } = dashboard.tenant();
    const remaining = async (address: string) =>
      (await sendRequest(address, '/api/v1/categories', { 'X-API-Key': key })).headers[
        'x-ratelimit-remaining'
      ];
    expect(await remaining(await addressOf(api))).to.equal('99');
    expect(await remaining(ofApi)).to.equal('98');
    expect((await sendRequest(ofApi, '/api/v1/categories')).status).to.equal(401);
    expect((await askOperators(ofWorker, '/api/v1/categories')).status).to.equal(404);
  });

  it('lets no page of another origin read its answers or those of the API', async () => {
    const headers = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'GET' };
    for (const address of [ofApi, await addressOf(api)]) {
      for (const path of ['/openapi.json', '/api/v1/blogs']) {
        const response = await fetch(`${address}${path}`, { method: 'OPTIONS', headers });
        expect(response.ok, `${address}${path}`).to.equal(false);
        expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).to.eql([]);
      }
    }
  });

  it('reports that everything is healthy, check by check', async () => {
    await eventually(async () => {
      expect(await readiness(ofApi)).to.deep.equal({
        code: 200,
        status: 'ready',
        checks: { readDatabase: OK, migrations: OK, rights: OK, syncAge: OK },
      });
      expect(await readiness(ofWorker)).to.deep.equal({
        code: 200,
        status: 'ready',
        checks: {
          dashboard: OK,
          mapping: OK,
          migrations: OK,
          rights: OK,
          changeCapture: OK,
          jobs: OK,
          unshownRows: OK,
          syncLag: OK,
          webhooks: OK,
          syncing: OK,
        },
      });
    });
  });

  it('counts the requests of the API, and reports the state of its pool', async () => {
    const { key } = dashboard.tenant();
    await sendRequest(await addressOf(api), '/api/v1/tags', { 'X-API-Key': key });
    expect(await sample(ofApi, 'blog_read_api_requests_total{route="/api/v1/tags",status="200"}')).to.equal(
      1,
    );
    expect(await sample(ofApi, 'blog_read_api_read_pool_waiting')).to.equal(0);
    expect(await sample(ofApi, 'blog_read_api_sync_leader')).to.equal(null);
  });

  it('reports whether the worker leads, and what waits for it', async () => {
    expect(await sample(ofWorker, 'blog_read_api_sync_leader')).to.equal(1);
    await dashboard.rename(dashboard.tenant(), 'Second title');
    await eventually(async () => {
      expect(await sample(ofWorker, 'blog_read_api_sync_queue_length')).to.equal(0);
      expect(await sample(ofWorker, 'blog_read_api_newest_generation_age_seconds')).to.be.within(0, 60);
    });
    expect(await sample(ofWorker, 'blog_read_api_sync_lag_seconds')).to.equal(0);
    expect(await sample(ofWorker, 'blog_read_api_sync_unshown_rows')).to.equal(0);
  });

  it('reports which migration is missing', async () => {
    const client = new pg.Client(dashboard.readDatabaseUrl);
    await client.connect();
    const named = (operator: string) =>
      `content_read_migrations.read_tables where name ${operator} '0001_read_tables.sql'`;
    await client.query(`create temporary table taken as select * from ${named('=')}`);
    await client.query(`delete from ${named('=')}`);
    try {
      const report = await readiness(ofApi);
      expect(report).to.include({ code: 503, status: 'not ready' });
      expect(report.checks.migrations).to.deep.equal({
        status: 'failed',
        code: 'migrations.missing',
        reason: 'missing: 0001_read_tables.sql',
        advice: 'run `npm run migrate`',
      });
    } finally {
      await client.query('insert into content_read_migrations.read_tables select * from taken');
      await client.end();
    }
    await isReady(ofApi);
  });

  it('detects connections that no longer answer, and recovers', async () => {
    proxies.read.freeze();
    proxies.write.freeze();
    try {
      for (let probes = 0; probes < 2; probes++) {
        const [ofOne, ofOther] = await Promise.all([readiness(ofApi), readiness(ofWorker)]);
        expect(ofOne).to.include({ code: 200, status: 'degraded' });
        expect(ofOne.checks.readDatabase.reason).to.match(/^answers come from the cache: /);
        expect(ofOther).to.include({ code: 503, status: 'not ready' });
        expect([ofOther.checks.dashboard.status, ofOther.checks.migrations.status]).to.deep.equal([
          'failed',
          'failed',
        ]);
      }
      expect((await askOperators(ofApi, '/livez')).status).to.equal(200);
      expect((await askOperators(ofWorker, '/livez')).status).to.equal(200);
      expect(await sample(ofWorker, 'blog_read_api_sync_lag_seconds')).to.equal(null);
    } finally {
      proxies.read.release();
      proxies.write.release();
    }
    await isReady(ofApi);
    await isReady(ofWorker);
    await eventually(async () =>
      expect(await sample(ofWorker, 'blog_read_api_sync_lag_seconds')).to.equal(0),
    );
  });

  it('closes with its program', async () => {
    expect(await worker.end('SIGTERM')).to.equal(0);
    const refused = await askOperators(ofWorker, '/livez').catch((error) => error);
    expect(refused).to.have.nested.property('cause.code', 'ECONNREFUSED');
  });
});
