import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard, type Tenant } from '../../support/dashboards/dashboard.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import { sharedRedis } from '../../support/redis/test-redis.js';
import { TwoApis } from '../support/two-apis.js';

const WARM = '/api/v1/blogs';
const COLD = '/api/v1/tags';
const AWAY = 'reading generations: failed and is retried';
const BACK = 'reading generations: works again';
const STALE = 'blog-content-read-api; hit; detail=stale';

describe('Stale answers in a real outage', () => {
  const redis = sharedRedis();
  let dashboard: Dashboard;
  let database: TcpProxy;
  let apis: TwoApis;
  let tenant: Tenant;
  let asked = 0;

  before(async () => {
    dashboard = await Dashboard.create(8);
    database = await TcpProxy.before(Number(new URL(dashboard.readDatabaseUrl).port));
    apis = await TwoApis.start({
      READ_DATABASE_URL: database.url(dashboard.readDatabaseUrl),
      REDIS_URL: redis().url,
      RATE_LIMIT_MAX: '10000',
      CACHE_LIST_TTL_SECONDS: '1',
      STALE_IF_ERROR_SECONDS: '3600',
    });
  });

  after(async () => {
    database?.release();
    await apis?.stop();
    await database?.stop();
  });

  beforeEach(() => {
    tenant = dashboard.tenant();
  });

  const bothStale = () =>
    eventually(async () => {
      for (const { status, headers, text } of await apis.getBoth(tenant, WARM)) {
        expect([status, headers['cache-status']]).to.eql([200, STALE]);
        expect(headers).to.include.keys('age', 'x-content-generation');
        expect(text).to.include('First title');
      }
    });
  const bothFresh = (path: string) =>
    eventually(async () => {
      for (const { status, headers } of await apis.getBoth(tenant, path)) {
        expect([status, headers['cache-status'] === STALE]).to.eql([200, false]);
      }
    });

  const outages = {
    frozen: { begin: async () => database.freeze(), end: async () => database.release() },
    refused: { begin: () => database.cut(), end: () => database.restore() },
  };

  /** A process may have fresh answers of the other one before it has detected the end of an outage itself. */
  const bothRecovered = () =>
    eventually(async () => {
      await apis.get('one', tenant, `/api/v1/blogs?limit=${(asked++ % 100) + 1}`);
      await apis.get('other', tenant, `/api/v1/blogs?limit=${(asked++ % 100) + 1}`);
      expect(apis.count(BACK)).to.eql(apis.count(AWAY));
    });

  for (const [outage, { begin, end }] of Object.entries(outages)) {
    it(`(${outage}) are served beyond their lifetime, logged once, and replaced without help when the outage ends`, async () => {
      const before = apis.count(AWAY).one;
      await bothFresh(WARM);
      await begin();
      try {
        await bothStale();
        for (let n = 0; n < 20; n++) await apis.getBoth(tenant, WARM);
        for (const { status } of await apis.getBoth(tenant, COLD)) expect(status).to.equal(500);
        expect(apis.count(AWAY).one - before).to.equal(1);
      } finally {
        await end();
      }
      await bothFresh(COLD);
      await bothFresh(WARM);
      await bothRecovered();
    });
  }

  it('are not served any more once a process can read that the key was revoked in the meantime', async () => {
    await bothFresh(WARM);
    await database.cut();
    try {
      await bothStale();
      await dashboard.revokeKeyOf(tenant);
      await dashboard.sync();
      await bothStale();
    } finally {
      await database.restore();
    }
    await eventually(async () => {
      for (const { status } of await apis.getBoth(tenant, WARM)) expect(status).to.equal(401);
    });
  });
});
