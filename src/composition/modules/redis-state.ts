import { ContainerModule } from 'inversify';
import { MemoryRequestLog } from '../../adapters/memory/memory-request-log.js';
import { MemoryResponseCache } from '../../adapters/memory/memory-response-cache.js';
import { connectRedis } from '../../adapters/redis/connect-redis.js';
import { RedisBreaker } from '../../adapters/redis/redis-breaker.js';
import { RedisGenerations } from '../../adapters/redis/redis-generations.js';
import { ANSWERS } from '../../adapters/redis/redis-purpose.js';
import { RedisRequestLog } from '../../adapters/redis/redis-request-log.js';
import { RedisResponseCache } from '../../adapters/redis/redis-response-cache.js';
import type { ApiConfiguration } from '../configuration.js';
import type { ApiNeeds } from '../extensions/ports-of-programs.js';
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
    bind(TOKENS.redisBreaker)
      .toResolvedValue(
        (log, metrics) => new RedisBreaker(connectRedis(urls), log, metrics),
        [TOKENS.log, TOKENS.metrics],
      )
      .onDeactivation((breaker) => breaker.close());
    bind(TOKENS.redisAnswersBreaker)
      .toDynamicValue(({ get }) => {
        const fasterBreaker = cacheUrls === null && needs.redis ? get(TOKENS.redisBreaker) : null;
        const redis = connectRedis(cacheUrls ?? urls);
        return new RedisBreaker(redis, get(TOKENS.log), get(TOKENS.metrics), ANSWERS, fasterBreaker);
      })
      .onDeactivation((breaker) => breaker.close());
    bind(TOKENS.redisRequestLog).toResolvedValue(
      (breaker, clock, metrics) => new RedisRequestLog(breaker, new MemoryRequestLog(clock), metrics),
      [TOKENS.redisBreaker, TOKENS.monotonicClock, TOKENS.metrics],
    );
    bind(TOKENS.localAnswers).toResolvedValue((clock) => new MemoryResponseCache(clock), [TOKENS.clock]);
    bind(TOKENS.redisAnswers).toResolvedValue(
      (breaker, local, clock) =>
        new RedisResponseCache(
          breaker,
          local,
          staleIfErrorMs === 0 ? null : { clock, maxStaleMs: staleIfErrorMs },
        ),
      [TOKENS.redisAnswersBreaker, TOKENS.localAnswers, TOKENS.clock],
    );
    bind(TOKENS.responseCache).toResolvedValue((answers) => answers, [TOKENS.redisAnswers]);
    bind(TOKENS.lastAnswers).toResolvedValue(
      (answers) => answers,
      // If an extension replaces the cache, nothing is stored in either.
      [needs.redisAnswers ? TOKENS.redisAnswers : TOKENS.localAnswers],
    );
    bind(TOKENS.redisGenerations).toResolvedValue(
      (breaker, table, requests) => new RedisGenerations(breaker, table, requests),
      [TOKENS.redisBreaker, TOKENS.generationsForRequests, TOKENS.redisRequestLog],
    );
    bind(TOKENS.requestLog).toResolvedValue((requests) => requests, [TOKENS.redisRequestLog]);
    bind(TOKENS.generations).toResolvedValue((generations) => generations, [TOKENS.redisGenerations]);
  });
}
