import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard, type Tenant } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf, environmentOf, leads } from '../../support/programs/running-programs.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

const DEBUG = 20;
/** The password of the worker's role. */
const PASSWORD = 'a-password-that-no-log-may-have';

describe('The sync worker', () => {
  const redis = sharedRedis();
  const role = `worker_${randomUUID().replaceAll('-', '')}`;
  let dashboard: Dashboard;
  const proxies = {} as { write: TcpProxy; read: TcpProxy };
  let worker: RunningProgram;
  let api: RunningProgram;
  let address: string;

  before(async () => {
    dashboard = await Dashboard.create(8);
    const { writeDatabaseUrl, readDatabaseUrl } = dashboard;
    await dashboard.sql(`create role ${role} superuser login password '${PASSWORD}'`);
    proxies.write = await TcpProxy.before(Number(new URL(writeDatabaseUrl).port));
    proxies.read = await TcpProxy.before(Number(new URL(readDatabaseUrl).port));
    const environment = { ...environmentOf(dashboard), REDIS_URL: redis().url };
    worker = new RunningProgram(['sync'], {
      ...environment,
      WRITE_DATABASE_URL: asWorker(proxies.write.url(writeDatabaseUrl)),
      READ_DATABASE_URL: asWorker(proxies.read.url(readDatabaseUrl)),
      LOG_LEVEL: 'debug',
    });
    // The API has its own connections to the databases.
    api = new RunningProgram(['api'], environment);
    await leads(worker);
    address = await addressOf(api);
  });

  after(async () => {
    await Promise.all([api?.end('SIGKILL'), worker?.end('SIGKILL')]);
    await Promise.all([proxies.write?.stop(), proxies.read?.stop()]);
    await dashboard?.sql(`drop role if exists ${role}`);
  });

  function asWorker(database: string): string {
    const url = new URL(database);
    url.username = role;
    url.password = PASSWORD;
    return url.href;
  }

  const get = ({ key }: Tenant) => sendRequest(address, '/api/v1/blogs', { 'X-API-Key': key });

  async function titleShownTo(tenant: Tenant): Promise<string> {
    const answer = await get(tenant);
    return answer.status === 200 ? answer.json().data[0].title : String(answer.status);
  }

  async function showsSoon(tenant: Tenant, title: string): Promise<void> {
    await eventually(async () => expect(await titleShownTo(tenant)).to.equal(title));
  }

  /** How often the worker has logged this message, above the debug level by default. */
  function timesLogged(
    message: string,
    where: (level: number) => boolean = (level) => level > DEBUG,
  ): number {
    const lines = worker.output.split('\n').filter((line) => line.includes(message));
    return lines.filter((line) => where(JSON.parse(line).level)).length;
  }

  const failures = () => timesLogged('syncing: failed', () => true);

  async function failsAgain(times: number): Promise<void> {
    const before = failures();
    await eventually(() => expect(failures()).to.be.at.least(before + times));
  }

  /** Expects that both messages are logged exactly once above the debug level. */
  async function logsOnce(messages: readonly [string, string], happens: () => Promise<void>): Promise<void> {
    const before = messages.map((message) => timesLogged(message));
    await happens();
    await eventually(() =>
      expect(messages.map((message) => timesLogged(message))).to.deep.equal(before.map((times) => times + 1)),
    );
  }

  const FAILS = ['syncing: failed and is retried', 'syncing: works again'] as const;

  for (const database of ['write', 'read'] as const) {
    it(`survives a ${database} database that refuses connections, applies what was committed in the meantime, and logs the outage once`, async () => {
      const [edited, revoked] = [dashboard.tenant(), dashboard.tenant()];
      expect(await titleShownTo(edited)).to.equal('First title');
      expect((await get(revoked)).status).to.equal(200);
      await logsOnce(FAILS, async () => {
        await proxies[database].cut();
        await dashboard.rename(edited, 'Meanwhile');
        await dashboard.revokeKeyOf(revoked);
        await failsAgain(3);
        expect(await titleShownTo(edited)).to.equal('First title');
        await proxies[database].restore();
        await showsSoon(edited, 'Meanwhile');
        await showsSoon(revoked, '401');
      });
    });
  }

  it('survives a read database that stops answering, by closing its connection and giving up its leadership', async () => {
    const tenant = dashboard.tenant();
    await titleShownTo(tenant);
    await logsOnce(FAILS, async () => {
      proxies.read.freeze();
      try {
        await dashboard.rename(tenant, 'While it was frozen');
        await failsAgain(1);
      } finally {
        proxies.read.release();
      }
      await showsSoon(tenant, 'While it was frozen');
    });
  });

  it('has logged no password, not even at the debug level, and exits with 0', async () => {
    expect(await worker.end('SIGTERM')).to.equal(0);
    expect(worker.output).not.to.contain(PASSWORD);
  });
});
