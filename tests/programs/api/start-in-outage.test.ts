import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard, type Tenant } from '../../support/dashboards/dashboard.js';
import { sendRequest } from '../../support/http/send-request.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { RunningProgram } from '../../support/programs/program.js';
import { addressOf, adminAddressOf, environmentOf } from '../../support/programs/running-programs.js';
import { plainClient } from '../../support/redis/plain-client.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

describe('An API that starts while the primary is unavailable', () => {
  const redis = sharedRedis();
  const client = plainClient(() => redis().url);
  let dashboard: Dashboard;
  let tenant: Tenant;
  let toPrimary: TcpProxy;
  let api: RunningProgram;

  before(async () => {
    dashboard = await Dashboard.create(4);
  });
  beforeEach(async () => {
    tenant = dashboard.tenant();
    toPrimary = await TcpProxy.before(Number(new URL(dashboard.readDatabaseUrl).port));
  });
  afterEach(async () => {
    await api?.end('SIGKILL');
    await toPrimary.stop();
  });

  const start = (more: Readonly<Record<string, string>>) => {
    api = new RunningProgram(['api'], {
      ...environmentOf({ writeDatabaseUrl: '', readDatabaseUrl: toPrimary.url(dashboard.readDatabaseUrl) }),
      ADMIN_PORT: '0',
      ...more,
    });
  };
  const ask = async () => sendRequest(await addressOf(api), '/api/v1/blogs', { 'X-API-Key': tenant.key });

  for (const [fault, begin, hasRedis] of [
    ['refused', 'cut', true],
    ['paused', 'freeze', false],
  ] as const) {
    it(`serves from a replica, also after a reconnect to Redis, and follows changes and revocations: ${fault}, ${hasRedis ? 'with' : 'without'} Redis`, async () => {
      await toPrimary[begin]();
      const redisUrl: Record<string, string> = hasRedis ? { REDIS_URL: redis().url } : {};
      start({ READ_REPLICA_URLS: dashboard.readDatabaseUrl, ...redisUrl });
      const first = await ask();
      expect(first.status).to.equal(200);
      expect(first.text).to.contain('First title');

      if (hasRedis) await client().call('CLIENT', 'KILL', 'TYPE', 'normal');
      for (let n = 0; n < 5; n++) expect((await ask()).status).to.equal(200);

      await dashboard.rename(tenant, 'Another title');
      await dashboard.sync();
      await eventually(async () => expect((await ask()).text).to.contain('Another title'));
      await dashboard.revokeKeyOf(tenant);
      await dashboard.sync();
      await eventually(async () => expect((await ask()).status).to.equal(401));
      const { status, text } = await askOperators(await adminAddressOf(api), '/readyz');
      expect([status, JSON.parse(text).status]).to.eql([200, 'degraded']);
      expect(JSON.parse(text).checks.redis).to.eql(hasRedis ? { status: 'ok' } : undefined);
    });
  }
});
