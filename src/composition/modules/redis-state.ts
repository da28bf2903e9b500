import { ContainerModule } from 'inversify';
import { MemoryResponseCache } from '../../adapters/memory/memory-response-cache.js';
import { connectRedis } from '../../adapters/redis/connect-redis.js';
import { RedisGenerations } from '../../adapters/redis/redis-generations.js';
import { RedisGuard } from '../../adapters/redis/redis-guard.js';
import { ANSWERS } from '../../adapters/redis/redis-purpose.js';
import { RedisRequestLog } from '../../adapters/redis/redis-request-log.js';
import { RedisResponseCache } from '../../adapters/redis/redis-response-cache.js';
import { MonotonicClock } from '../../adapters/system/monotonic-clock.js';
import type { ApiNeeds } from '../extensions/ports-of-programs.js';
import { NEAR_CACHE_BYTES } from '../near-cache-bytes.js';
import { TOKENS } from '../tokens.js';

/**
 * Limiter, cache and generations of all processes together; each has what it falls back to while Redis is away. Bodies travel on
 * a connection of their own, also where the server is the same: nobody's limit waits for them. `cacheUrls` is null where it is.
 */
export function redisState(
  urls: readonly string[],
  cacheUrls: readonly string[] | null,
  needs: Pick<ApiNeeds, 'redis'>,
): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.redisGuard)
      .toResolvedValue(
        (log, metrics) => new RedisGuard(connectRedis(urls), log, metrics),
        [TOKENS.log, TOKENS.metrics],
      )
      .onDeactivation((guard) => guard.close());
    bind(TOKENS.redisAnswersGuard)
      .toDynamicValue(({ get }) => {
        const quicker = cacheUrls === null && needs.redis ? get(TOKENS.redisGuard) : null;
        const redis = connectRedis(cacheUrls ?? urls);
        return new RedisGuard(redis, get(TOKENS.log), get(TOKENS.metrics), ANSWERS, quicker);
      })
      .onDeactivation((guard) => guard.close());
    bind(TOKENS.redisRequestLog).toResolvedValue(
      (guard, metrics) => new RedisRequestLog(guard, new MonotonicClock(), metrics),
      [TOKENS.redisGuard, TOKENS.metrics],
    );
    bind(TOKENS.responseCache).toResolvedValue(
      (guard, clock) => new RedisResponseCache(guard, new MemoryResponseCache(clock, NEAR_CACHE_BYTES)),
      [TOKENS.redisAnswersGuard, TOKENS.clock],
    );
    bind(TOKENS.redisGenerations).toResolvedValue(
      (guard, table, requests) => new RedisGenerations(guard, table, requests),
      [TOKENS.redisGuard, TOKENS.generationTable, TOKENS.redisRequestLog],
    );
    bind(TOKENS.requestLog).toResolvedValue((requests) => requests, [TOKENS.redisRequestLog]);
    bind(TOKENS.generations).toResolvedValue((generations) => generations, [TOKENS.redisGenerations]);
  });
}
