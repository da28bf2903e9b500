import { Redis } from 'ioredis';
import * as mocha from 'mocha';
import { MemoryResponseCache } from '../../src/adapters/memory/memory-response-cache.js';
import { RedisResponseCache } from '../../src/adapters/redis/cache/redis-response-cache.js';
import { connectRedis } from '../../src/adapters/redis/connection/connect-redis.js';
import { RedisRequestLog } from '../../src/adapters/redis/rate-limit/redis-request-log.js';
import { SystemClock } from '../../src/adapters/system/system-clock.js';
import { responseCacheContract } from '../../src/contracts/cache/response-cache.contract.js';
import { requestLogContract } from '../../src/contracts/limits/request-log.contract.js';
import { SettableClock } from '../support/clock/settable-clock.js';
import { sharedCluster } from '../support/redis/redis-cluster.js';
import { sharedSentinels } from '../support/redis/redis-sentinels.js';
import { withClock } from '../support/redis/redis-with-clock.js';
import { requestLogOn } from '../support/redis/request-log-on.js';
import { sharedRedis } from '../support/redis/test-redis.js';
import { itPassesOnRedis, processes } from './redis-contracts.js';

describe('On a Redis server,', () => {
  const redis = sharedRedis();
  const connect = processes(() => connectRedis([redis().url]));

  itPassesOnRedis(connect);

  describe('with answers in memory,', () => {
    responseCacheContract(
      mocha,
      RedisResponseCache,
      async () => ({
        subject: new RedisResponseCache(
          await connect(),
          new MemoryResponseCache(new SystemClock(), 16 * 2 ** 20),
          new SystemClock(),
        ),
      }),
      { lacks: ['advance'] },
    );
  });

  describe('with a clock that the test moves,', () => {
    let clients: { client: Redis; setTime(millis: number): Promise<void> };
    const connectWithClock = processes(() => clients.client);

    requestLogContract(mocha, RedisRequestLog, async () => {
      clients = withClock(new Redis(redis().url));
      let now = Date.UTC(2026, 0, 15, 12);
      const monotonic = new SettableClock(now);
      await clients.setTime(now);
      return {
        subject: requestLogOn(await connectWithClock(), { clock: monotonic }),
        advance: async (millis) => {
          now += millis;
          // When Redis's clock is set back, an hour passes for the process, so that it deletes its accepted requests.
          monotonic.advance(millis >= 0 ? millis : 3_600_000);
          await clients.setTime(now);
        },
      };
    });
  });
});

describe('On a Redis cluster of six nodes,', () => {
  const cluster = sharedCluster();

  itPassesOnRedis(processes(() => connectRedis(cluster().urls)));
});

describe('On a Redis behind three sentinels,', () => {
  const sentinels = sharedSentinels();

  itPassesOnRedis(processes(() => connectRedis([sentinels().url])));
});
