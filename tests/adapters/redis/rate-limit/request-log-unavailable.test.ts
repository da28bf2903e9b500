import { expect } from 'chai';
import type { RateLimit } from '../../../../src/application/requests/rate-limit.js';
import { newKey } from '../../../../src/contracts/limits/request-log.keys.js';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { type ConnectedRedis, processesOf } from '../../../support/redis/connected-redis.js';
import { limitOn } from '../../../support/redis/request-log-on.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const WINDOW = { limit: 10, lengthMs: 60_000 };

describe('RedisRequestLog, during and after an outage of a real Redis,', () => {
  const redis = sharedRedis();
  const connect = processesOf(() => redis().url);

  async function aProcess() {
    const connected = await connect();
    return {
      connected,
      limit: limitOn(connected.breaker, WINDOW, connected.metrics),
    };
  }

  async function accepted(limit: RateLimit, key: ReturnType<typeof newKey>, requests: number) {
    const verdicts = await Promise.all(Array.from({ length: requests }, () => limit.limit(key)));
    return verdicts.filter(({ admitted }) => admitted).length;
  }

  const isBack = ({ breaker }: ConnectedRedis) => eventually(() => expect(breaker.isOpen).to.equal(false));

  const outages = {
    'was frozen': { begin: () => redis().pause(), end: () => redis().resume() },
    'was killed and comes back empty': { begin: () => redis().kill(), end: () => redis().startEmpty() },
  };
  for (const [what, { begin, end }] of Object.entries(outages)) {
    it(`accepts no more than the limit before, during and after, if Redis ${what}`, async () => {
      const { connected, limit } = await aProcess();
      const key = newKey();
      expect(await accepted(limit, key, 4)).to.equal(4);
      await begin();
      try {
        expect(await accepted(limit, key, 3)).to.equal(3);
        expect(connected.metrics.of('limited-without-redis')).to.equal(3);
      } finally {
        await end();
      }
      await isBack(connected);
      expect(await accepted(limit, key, 20)).to.equal(3);
    });
  }
});
