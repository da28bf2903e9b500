import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { shown, TwoApis } from '../../support/http/two-apis.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

/** A busy machine takes longer than the promised quarter of a second. */
const POLLED_WITHIN_MS = 1_000;

describe('Two API processes on one PostgreSQL and one Redis', () => {
  const redis = sharedRedis();
  let dashboard: Dashboard;
  let apis: TwoApis;

  before(async () => {
    dashboard = await Dashboard.create(6);
    apis = await TwoApis.start({
      READ_DATABASE_URL: dashboard.readDatabaseUrl,
      REDIS_URL: redis().url,
    });
  });

  after(async () => {
    await apis?.stop();
  });

  async function flush(): Promise<void> {
    const client = new Redis(redis().url);
    await client.flushall();
    client.disconnect();
  }

  it('share the answers that they have computed', async () => {
    const tenant = dashboard.tenant();
    expect(shown(await apis.get('one', tenant))).to.equal('MISS: First title');
    expect(shown(await apis.get('other', tenant))).to.equal('HIT: First title');
  });

  it('both show a change as soon as the sync is done, however warm their caches are', async () => {
    const tenant = dashboard.tenant();
    await apis.getBoth(tenant);
    expect((await apis.getBoth(tenant)).map(shown)).to.deep.equal(['HIT: First title', 'HIT: First title']);
    await dashboard.rename(tenant, 'Second title');
    await dashboard.sync(redis().url);
    expect(shown(await apis.get('other', tenant))).to.equal('MISS: Second title');
    expect(shown(await apis.get('one', tenant))).to.equal('HIT: Second title');
  });

  it('both refuse a revoked key once the sync is done, even with the key and an answer in memory', async () => {
    const tenant = dashboard.tenant();
    for (let n = 0; n < 3; n++) await apis.getBoth(tenant);
    await dashboard.revokeKeyOf(tenant);
    await dashboard.sync(redis().url);
    expect((await apis.getBoth(tenant)).map(({ status }) => status)).to.deep.equal([401, 401]);
    expect((await apis.getBoth(tenant)).map(({ status }) => status)).to.deep.equal([401, 401]);
  });

  it('both detect the changes of a sync that could not publish', async () => {
    const tenant = dashboard.tenant();
    await apis.getBoth(tenant);
    await dashboard.rename(tenant, 'Unpublished title');
    await dashboard.sync();
    await eventually(async () => {
      for (const answer of await apis.getBoth(tenant)) expect(answer.text).to.contain('Unpublished title');
    });
  });

  it('send no caller an old answer after a FLUSHALL, even if the change was not published', async () => {
    const tenant = dashboard.tenant();
    await apis.getBoth(tenant);
    await dashboard.rename(tenant, 'Title after the flush');
    await dashboard.sync();
    await flush();
    await pause(POLLED_WITHIN_MS);
    for (let n = 0; n < 3; n++)
      for (const answer of await apis.getBoth(tenant))
        expect(shown(answer)).to.match(/: Title after the flush$/);
  });
});
