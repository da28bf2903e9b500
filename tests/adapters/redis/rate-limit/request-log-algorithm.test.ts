import { expect } from 'chai';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { runRecord } from '../../../../src/adapters/redis/rate-limit/redis-request-log.js';
import type { LoggedKey } from '../../../../src/contracts/limits/request-log.keys.js';
import { freshId } from '../../../../src/contracts/support/fresh-id.js';
import type { Window } from '../../../../src/domain/model/window.js';
import { recordRequest } from '../../../../src/domain/policies/sliding-window.js';
import { ConnectedRedis } from '../../../support/redis/connected-redis.js';
import { withClock } from '../../../support/redis/redis-with-clock.js';
import { recordOn } from '../../../support/redis/request-log-on.js';
import { sharedRedis } from '../../../support/redis/test-redis.js';

const START = Date.UTC(2026, 0, 15, 12);

describe('The script of RedisRequestLog, on a clock that the test moves,', () => {
  const redis = sharedRedis();
  let connected: ConnectedRedis;
  let setTime: (millis: number) => Promise<void>;
  const record = (key: LoggedKey, window: Window) => recordOn(connected.breaker, key, window);

  before(async () => {
    const clocked = withClock(new Redis(redis().url));
    setTime = clocked.setTime;
    connected = await ConnectedRedis.around(clocked.client, { commandTimeoutMs: 60_000 });
  });

  after(() => connected?.close());

  async function expectAgreement(requests: readonly { step: number; window: Window }[]): Promise<void> {
    const key = { id: freshId('key'), organizationId: 'org' };
    const times: number[] = [];
    let now = START;
    for (const { step, window } of requests) {
      now += step;
      await setTime(now);
      expect(await record(key, window)).to.deep.equal(recordRequest(times, window, now));
    }
  }

  it('returns what the sliding-window policy returns, for any limits, lengths and steps of the clock', async () => {
    const someStep = fc.oneof(
      fc.constant(0),
      fc.integer({ min: -90_000, max: 90_000 }),
      fc
        .constantFrom(1, 29_999, 30_000, 30_001, 59_999, 60_000, 60_001, 600_000)
        .chain((step) => fc.constantFrom(step, -step)),
    );
    const someWindow = fc.record({
      limit: fc.integer({ min: 1, max: 5 }),
      // Redis expires keys by its own clock; these lengths do not end while the test runs.
      lengthMs: fc.constantFrom(60_000, 60_000, 60_000, 30_000),
    });
    const someRequests = fc.array(fc.record({ step: someStep, window: someWindow }), { maxLength: 40 });
    await fc.assert(fc.asyncProperty(someRequests, expectAgreement), { numRuns: 120 });
  });

  it('returns it to the millisecond for a hundred requests in a minute', async () => {
    const window = { limit: 100, lengthMs: 60_000 };
    const burst = Array.from({ length: 105 }, () => ({ step: 7, window }));
    const wait = (step: number) => ({ step, window });
    await expectAgreement([...burst, wait(60_000 - 105 * 7 + 6), wait(1), wait(0), wait(7), ...burst]);
  });

  it('needs little time in Redis if many requests leave a window at once, because all other commands wait meanwhile', async () => {
    const { client } = connected;
    const [log, expired] = [freshId('log'), 5_000];
    const times = Array.from({ length: expired }, (_, n) => START - 60_000 + n - expired);
    await client.rpush(log, ...times, START - 30_000);
    await setTime(START);
    await client.config('RESETSTAT');
    const call = { log, window: { limit: expired, lengthMs: 60_000 } };
    const [reply] = await runRecord(client, [call]);

    expect(reply).to.include({ accepted: true, count: 2, oldestAt: START - 30_000 });
    const [, reads] = /cmdstat_lindex:calls=(\d+)/.exec(await client.info('commandstats')) ?? [];
    expect(Number(reads)).to.be.within(1, 30);
  });
});
