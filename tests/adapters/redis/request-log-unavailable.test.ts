import { expect } from 'chai';
import { LATE_MS } from '../../../src/adapters/redis/record-script.js';
import { RedisRequestLog } from '../../../src/adapters/redis/redis-request-log.js';
import { MonotonicClock } from '../../../src/adapters/system/monotonic-clock.js';
import { newKey } from '../../../src/contracts/request-log.keys.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { type ConnectedRedis, processesOf } from '../../support/redis/connected-redis.js';
import { sharedRedis } from '../../support/redis/test-redis.js';

const WINDOW = { limit: 10, lengthMs: 60_000 };

describe('RedisRequestLog, during and after an outage of a real Redis,', () => {
  const redis = sharedRedis();
  const connect = processesOf(() => redis().url);

  async function aProcess() {
    const connected = await connect();
    return {
      connected,
      log: new RedisRequestLog(connected.breaker, new MonotonicClock(), connected.metrics),
    };
  }

  async function accepted(log: RedisRequestLog, key: ReturnType<typeof newKey>, requests: number) {
    const states = await Promise.all(Array.from({ length: requests }, () => log.record(key, WINDOW)));
    return states.filter((state) => state.accepted).length;
  }

  const isBack = ({ breaker }: ConnectedRedis) =>
    eventually(() => expect(breaker.isOpen).to.equal(false), 10_000);

  it('accepts no requests of a key that other processes have used up while Redis does not answer', async () => {
    const [one, other] = [await aProcess(), await aProcess()];
    const key = newKey();
    expect(await accepted(one.log, key, 6)).to.equal(6);
    expect(await accepted(other.log, key, 6)).to.equal(4);
    await redis().pause();
    try {
      expect(await accepted(other.log, key, 50)).to.equal(0);
      expect(other.connected.metrics.of('limited-without-redis')).to.equal(50);
    } finally {
      await redis().resume();
    }
  });

  const outages = {
    'was frozen': { begin: () => redis().pause(), end: () => redis().resume() },
    'was killed and comes back empty': { begin: () => redis().kill(), end: () => redis().startEmpty() },
  };
  for (const [what, { begin, end }] of Object.entries(outages)) {
    it(`accepts no more than the limit before, during and after, and all processes count every request, if Redis ${what}`, async () => {
      const [one, other] = [await aProcess(), await aProcess()];
      const key = newKey();
      expect(await accepted(one.log, key, 4)).to.equal(4);
      await begin();
      try {
        expect(await accepted(one.log, key, 3)).to.equal(3);
      } finally {
        await end();
      }
      await Promise.all([isBack(one.connected), isBack(other.connected)]);
      await eventually(async () => {
        const { count } = await other.log.record(key, { ...WINDOW, limit: 1 });
        expect(count).to.equal(7);
      }, 5_000);
      expect(await accepted(other.log, key, 5)).to.equal(3);
      expect(await accepted(one.log, key, 20)).to.equal(0);
    });
  }

  it('sends a call again if this process was too busy to send it in time', async () => {
    const { connected, log } = await aProcess();
    const key = newKey();
    await log.record(key, WINDOW);
    const answers = Array.from({ length: 5 }, () => log.record(key, WINDOW));
    const end = performance.now() + LATE_MS + 500;
    while (performance.now() < end);
    const counts = (await Promise.all(answers)).map(({ count }) => count);
    expect(counts).to.eql([2, 3, 4, 5, 6]);
    expect(connected.metrics.of('limited-without-redis')).to.equal(0);
    expect(connected.metrics.of('redis-breaker-opened')).to.equal(0);
  });
});
