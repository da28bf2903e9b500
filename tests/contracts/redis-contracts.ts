import * as mocha from 'mocha';
import { RedisResponseCache } from '../../src/adapters/redis/cache/redis-response-cache.js';
import type { RedisClient } from '../../src/adapters/redis/connection/connect-redis.js';
import { RedisBreaker } from '../../src/adapters/redis/connection/redis-breaker.js';
import { LIMITS, RedisRequestLog } from '../../src/adapters/redis/rate-limit/redis-request-log.js';
import { SystemClock } from '../../src/adapters/system/system-clock.js';
import { redisBreaker } from '../../src/composition/redis-state.js';
import { responseCacheContract } from '../../src/contracts/cache/response-cache.contract.js';
import { MemoryMetrics } from '../../src/contracts/fakes/memory-metrics.js';
import { requestLogContract } from '../../src/contracts/limits/request-log.contract.js';
import { RecordingLog } from '../support/programs/recording-log.js';
import { requestLogOn } from '../support/redis/request-log-on.js';

const TIMEOUT_MS = 60_000;

/** Fails the test if Redis does not answer: otherwise what is done without it would pass. */
class ThrowingBreaker extends RedisBreaker {
  constructor(redis: RedisClient) {
    const patient = { ...LIMITS, commandTimeoutMs: TIMEOUT_MS };
    super(redis, new RecordingLog(), new MemoryMetrics(), patient, redisBreaker, null);
  }

  override async attempt<Reply>(name: string, command: (redis: RedisClient) => Promise<Reply>) {
    let failure: unknown = 'the circuit breaker is open';
    const reply = await super.attempt(name, async (redis) => {
      try {
        return await command(redis).finally(() => {
          failure = null;
        });
      } catch (error) {
        failure = error;
        throw error;
      }
    });
    if (failure === null) return reply;
    throw new Error(`Redis did not execute the command: ${failure}`, { cause: failure });
  }
}

/** Runs the contract suites of everything that is kept in Redis. */
export function itPassesOnRedis(connect: () => Promise<RedisBreaker>): void {
  requestLogContract(
    mocha,
    RedisRequestLog,
    async () => ({
      subject: requestLogOn(await connect()),
    }),
    { lacks: ['advance'] },
  );

  responseCacheContract(
    mocha,
    RedisResponseCache,
    async () => ({ subject: new RedisResponseCache(await connect(), new SystemClock()) }),
    { lacks: ['advance'] },
  );
}

/**
 * Opens as many connections as a test needs, each like that of a separate process. They are closed when the test
 * ends.
 */
export function processes(open: () => RedisClient): () => Promise<RedisBreaker> {
  const breakers: RedisBreaker[] = [];

  afterEach(async () => {
    await Promise.all(breakers.splice(0).map((breaker) => breaker.close()));
  });

  return async () => {
    const redis = open();
    const breaker = new ThrowingBreaker(redis);
    breakers.push(breaker);
    breaker.setInstallation('contracts');
    // `connected` gives up after a second, and a busy machine may take longer.
    while (redis.status !== 'ready') await breaker.connected();
    return breaker;
  };
}
