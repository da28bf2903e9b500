import { expect } from 'chai';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { sharedRedis } from '../../support/redis/test-redis.js';
import { TwoApis } from '../support/two-apis.js';

const LIMIT = 200;

describe('During an outage of Redis', () => {
  const redis = sharedRedis();
  let dashboard: Dashboard;
  let apis: TwoApis;

  before(async () => {
    dashboard = await Dashboard.create(45);
    apis = await TwoApis.start({
      READ_DATABASE_URL: dashboard.readDatabaseUrl,
      REDIS_URL: redis().url,
      RATE_LIMIT_MAX: String(LIMIT),
    });
  });

  after(async () => {
    await apis?.stop();
  });

  const outages = {
    paused: { begin: () => redis().pause(), end: () => redis().resume() },
    'killed, port closed': { begin: () => redis().kill(), end: () => redis().startEmpty() },
  };

  for (const [outage, { begin, end }] of Object.entries(outages)) {
    it(`(${outage}) every request is answered, each process applies its own limit, and afterwards both share one again`, async () => {
      const tenant = dashboard.tenant();
      const probe = dashboard.tenant();
      expect(await apis.shareLimitOf(probe)).to.equal(true);
      await begin();
      try {
        await eventually(async () => expect(await apis.shareLimitOf(probe)).to.equal(false));
        const answers: Awaited<ReturnType<typeof apis.getBoth>>[] = [];
        // Not all at once: how many requests a busy machine answers in time is not tested here.
        while (answers.length < LIMIT + 50) {
          answers.push(...(await Promise.all(Array.from({ length: 25 }, () => apis.getBoth(tenant)))));
        }
        for (const process of [0, 1] as const) {
          const statuses = answers.map((pair) => pair[process].status);
          expect(new Set(statuses)).to.deep.equal(new Set([200, 429]));
          expect(statuses.filter((status) => status === 200)).to.have.length(LIMIT);
        }
      } finally {
        await end();
      }
      const next = dashboard.tenant();
      await eventually(async () => expect(await apis.shareLimitOf(next)).to.equal(true));
    });
  }

  it('edits and revocations apply as soon as they are in the read tables, and still do when Redis is back', async () => {
    const [edited, revoked] = [dashboard.tenant(), dashboard.tenant()];
    await Promise.all([apis.getBoth(edited), apis.getBoth(revoked)]);
    await redis().pause();
    try {
      await dashboard.rename(edited, 'Title without Redis');
      await dashboard.revokeKeyOf(revoked);
      await dashboard.sync();
      for (const answer of await apis.getBoth(edited)) expect(answer.text).to.contain('Title without Redis');
      for (const answer of await apis.getBoth(revoked)) expect(answer.status).to.equal(401);
    } finally {
      await redis().resume();
    }
    const probe = dashboard.tenant();
    await eventually(async () => expect(await apis.shareLimitOf(probe)).to.equal(true));
    // Redis has old generations.
    await eventually(async () => {
      for (const answer of await apis.getBoth(edited)) expect(answer.text).to.contain('Title without Redis');
      for (const answer of await apis.getBoth(revoked)) expect(answer.status).to.equal(401);
    });
  });

  it('and after it, no old answer is shown once a new one was, even if Redis returns with old data', async () => {
    const tenant = dashboard.tenant();
    await apis.getBoth(tenant);
    await redis().keepData();
    await dashboard.rename(tenant, 'Title after the copy');
    await dashboard.sync();
    await redis().kill();
    await redis().startWithKeptData();
    const probe = dashboard.tenant();
    await eventually(async () => expect(await apis.shareLimitOf(probe)).to.equal(true));
    await eventually(async () => {
      for (const answer of await apis.getBoth(tenant)) expect(answer.text).to.contain('Title after the copy');
    });
    for (let n = 0; n < 5; n++) {
      for (const answer of await apis.getBoth(tenant)) expect(answer.text).to.contain('Title after the copy');
    }
  });
});
