import { ContainerModule } from 'inversify';
import { MemoryResponseCache } from '../../adapters/memory/memory-response-cache.js';
import { connectRedis } from '../../adapters/redis/connect-redis.js';
import { RedisGenerations } from '../../adapters/redis/redis-generations.js';
import { RedisGuard } from '../../adapters/redis/redis-guard.js';
import { ANSWERS } from '../../adapters/redis/redis-purpose.js';
import { RedisRequestLog } from '../../adapters/redis/redis-request-log.js';
import { RedisResponseCache } from '../../adapters/redis/redis-response-cache.js';
import { MonotonicClock } from '../../adapters/system/monotonic-clock.js';
import type { ApiConfiguration } from '../configuration.js';
import type { ApiNeeds } from '../extensions/ports-of-programs.js';
import { LOCAL_CACHE_BYTES } from '../local-cache-bytes.js';
import { TOKENS } from '../tokens.js';

/**
 * The limiter, cache and generations that all processes share. Each has a fallback while Redis is unavailable. Answers use a connection of
 * their own, even to the same server, so that they do not delay the limiter.
 */
export function redisState(
  urls: readonly string[],
  { redisCacheUrls: cacheUrls, staleIfErrorMs }: Pick<ApiConfiguration, 'redisCacheUrls' | 'staleIfErrorMs'>,
  needs: Pick<ApiNeeds, 'redis' | 'redisAnswers'>,
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
    bind(TOKENS.nearAnswers).toResolvedValue(
      (clock) => new MemoryResponseCache(clock, LOCAL_CACHE_BYTES),
      [TOKENS.clock],
    );
    bind(TOKENS.redisAnswers).toResolvedValue(
      (guard, near, clock) =>
        new RedisResponseCache(
          guard,
          near,
          staleIfErrorMs === 0 ? null : { clock, longestMs: staleIfErrorMs },
        ),
      [TOKENS.redisAnswersGuard, TOKENS.nearAnswers, TOKENS.clock],
    );
    bind(TOKENS.responseCache).toResolvedValue((answers) => answers, [TOKENS.redisAnswers]);
    bind(TOKENS.lastAnswers).toResolvedValue(
      (answers) => answers,
      // If an extension replaces the cache, nothing is stored in either.
      [needs.redisAnswers ? TOKENS.redisAnswers : TOKENS.nearAnswers],
    );
    bind(TOKENS.redisGenerations).toResolvedValue(
      (guard, table, requests) => new RedisGenerations(guard, table, requests),
      [TOKENS.redisGuard, TOKENS.askedGenerations, TOKENS.redisRequestLog],
    );
    bind(TOKENS.requestLog).toResolvedValue((requests) => requests, [TOKENS.redisRequestLog]);
    bind(TOKENS.generations).toResolvedValue((generations) => generations, [TOKENS.redisGenerations]);
  });
}
