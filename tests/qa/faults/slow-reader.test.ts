import { expect } from 'chai';
import { Redis } from 'ioredis';
import { requestLogName } from '../../../src/adapters/redis/connection/key-names.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard, type Tenant } from '../../support/dashboards/dashboard.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import { sharedRedis } from '../../support/redis/test-redis.js';
import { shown, TwoApis } from '../support/two-apis.js';

const PATH = '/api/v1/blogs?limit=7';

describe('An answer that is computed while its content changes', () => {
  const redis = sharedRedis();
  let dashboard: Dashboard;
  let toDatabase: TcpProxy;
  let toRedis: TcpProxy;
  let apis: TwoApis;
  let tenant: Tenant;

  before(async () => {
    dashboard = await Dashboard.create(2);
    toDatabase = await TcpProxy.before(Number(new URL(dashboard.readDatabaseUrl).port));
    toRedis = await TcpProxy.before(redis().port);
    apis = await TwoApis.start({
      READ_DATABASE_URL: toDatabase.url(dashboard.readDatabaseUrl),
      REDIS_URL: toRedis.url(redis().url),
    });
  });

  after(async () => {
    toDatabase?.release();
    toRedis?.release();
    await apis?.stop();
    await Promise.all([toDatabase?.stop(), toRedis?.stop()]);
  });

  beforeEach(async () => {
    tenant = dashboard.tenant();
    // Caches key and generation: only the blogs have to be read from now on.
    await apis.getBoth(tenant);
  });

  async function change(): Promise<void> {
    await dashboard.rename(tenant, 'Second title');
    await dashboard.sync();
  }

  async function storedAnswers(): Promise<number> {
    const client = new Redis(redis().url);
    const prefix = `${await dashboard.namesInRedis()}${requestLogName(tenant.organizationId, '')}`;
    const names = await client.keys(prefix.replace(/requests:$/, 'answer:*'));
    client.disconnect();
    return names.filter((name) => !name.endsWith(':lock')).length;
  }

  async function expectNewTitleForGood(): Promise<void> {
    for (let n = 0; n < 3; n++) {
      for (const answer of await apis.getBoth(tenant, PATH))
        expect(shown(answer)).to.match(/: Second title$/);
    }
    expect(shown(await apis.get('one', tenant, PATH))).to.equal('HIT: Second title');
  }

  it('is not served later by any process if it was read before the change and stored afterwards', async () => {
    toDatabase.hold((direction, bytes) => direction === 'reply' && bytes.includes('First title'));
    const pending = apis.get('one', tenant, PATH);
    await eventually(() => expect(toDatabase.holdsBack('First title')).to.equal(true));
    await change();
    toDatabase.release();
    expect(shown(await pending)).to.equal('MISS: First title');
    await expectNewTitleForGood();
  });

  it('is not served later by any process if it reaches Redis after the change', async () => {
    const stored = await storedAnswers();
    toRedis.hold((direction, bytes) => direction === 'request' && bytes.includes('First title'));
    const pending = apis.get('one', tenant, PATH);
    await eventually(() => expect(toRedis.holdsBack('First title')).to.equal(true));
    await change();
    expect(shown(await pending)).to.equal('MISS: First title');
    expect(shown(await apis.get('other', tenant, PATH))).to.equal('MISS: Second title');
    const before = await storedAnswers();
    expect(before).to.be.greaterThan(stored);
    toRedis.release();
    await eventually(async () => expect(await storedAnswers()).to.equal(before + 1));
    await expectNewTitleForGood();
  });
});
