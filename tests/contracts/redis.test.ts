import { Redis } from 'ioredis';
import * as mocha from 'mocha';
import { connectRedis } from '../../src/adapters/redis/connection/connect-redis.js';
import { RedisRequestLog } from '../../src/adapters/redis/rate-limit/redis-request-log.js';
import { requestLogContract } from '../../src/contracts/limits/request-log.contract.js';
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

  describe('with a clock that the test moves,', () => {
    let clients: { client: Redis; setTime(millis: number): Promise<void> };
    const connectWithClock = processes(() => clients.client);

    requestLogContract(mocha, RedisRequestLog, async () => {
      clients = withClock(new Redis(redis().url));
      let now = Date.UTC(2026, 0, 15, 12);
      await clients.setTime(now);
      return {
        subject: requestLogOn(await connectWithClock()),
        advance: async (millis) => {
          now += millis;
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
