import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard, type Tenant } from '../../support/dashboards/dashboard.js';
import { shown, TwoApis } from '../../support/http/two-apis.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

const COLD = '/api/v1/tags';

describe('An outage of PostgreSQL', () => {
  const redis = sharedRedis();
  let dashboard: Dashboard;
  let database: TcpProxy;
  let apis: TwoApis;
  let tenant: Tenant;
  let otherTenant: Tenant;

  before(async () => {
    dashboard = await Dashboard.create(6);
    database = await TcpProxy.before(Number(new URL(dashboard.readDatabaseUrl).port));
    apis = await TwoApis.start({
      READ_DATABASE_URL: database.url(dashboard.readDatabaseUrl),
      REDIS_URL: redis().url,
      RATE_LIMIT_MAX: '1000',
    });
  });

  after(async () => {
    database?.release();
    await apis?.stop();
    await database?.stop();
  });

  beforeEach(async () => {
    [tenant, otherTenant] = [dashboard.tenant(), dashboard.tenant()];
    await apis.getBoth(tenant);
  });

  async function expectFailures(path: string, who: Tenant): Promise<void> {
    for (const { status, text } of await apis.getBoth(who, path)) {
      expect(status).to.equal(500);
      expect(text).to.contain('Internal server error');
    }
  }

  /** On a busy machine Redis may seem unavailable for a moment, and PostgreSQL would be needed then. */
  async function expectWarmAnswers(): Promise<void> {
    await eventually(async () => {
      for (const answer of await apis.getBoth(tenant)) expect(shown(answer)).to.equal('HIT: First title');
    });
  }

  async function expectRecovery(): Promise<void> {
    await eventually(async () => {
      for (const who of [tenant, otherTenant]) {
        for (const { status } of await apis.getBoth(who, COLD)) expect(status).to.equal(200);
      }
    });
  }

  const outages = {
    frozen: { begin: async () => database.freeze(), end: async () => database.release() },
    refused: { begin: () => database.cut(), end: () => database.restore() },
  };

  for (const [outage, { begin, end }] of Object.entries(outages)) {
    it(`(${outage}) leaves warm answers available, fails cold ones, and is recovered from without help`, async () => {
      await begin();
      try {
        await expectWarmAnswers();
        await expectFailures(COLD, tenant);
        await expectFailures(COLD, otherTenant);
        await expectWarmAnswers();
      } finally {
        await end();
      }
      await expectRecovery();
    });
  }

  it('and of Redis causes a 500 for every request until Redis can tell again what is raised', async () => {
    database.freeze();
    await redis().pause();
    try {
      // What was polled last counts for a quarter of a second.
      await eventually(() => expectFailures('/api/v1/blogs', tenant));
      await expectFailures(COLD, tenant);
      await redis().resume();
      await expectWarmAnswers();
      await expectFailures(COLD, tenant);
    } finally {
      await redis().resume();
      database.release();
    }
    await expectRecovery();
  });
});
