import { ContainerModule } from 'inversify';
import { MemoryRequestLog } from '../../adapters/memory/memory-request-log.js';
import { MemoryResponseCache } from '../../adapters/memory/memory-response-cache.js';
import { RedisResponseCache } from '../../adapters/redis/cache/redis-response-cache.js';
import { connectRedis } from '../../adapters/redis/connection/connect-redis.js';
import { ANSWERS, RedisBreaker } from '../../adapters/redis/connection/redis-breaker.js';
import { RedisGenerations } from '../../adapters/redis/generations/redis-generations.js';
import { RedisRequestLog } from '../../adapters/redis/rate-limit/redis-request-log.js';
import type { ApiConfiguration } from '../settings/configuration.js';
import { TOKENS } from '../tokens.js';

/**
 * What all processes share, each with a fallback. Answers have a connection of their own, so that
 * they do not delay the limiter.
 */
export function redisState(
  urls: readonly string[],
  { redisCacheUrls: cacheUrls }: Pick<ApiConfiguration, 'redisCacheUrls'>,
): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.redisBreaker)
      .toResolvedValue(
        (log, metrics, installation) =>
          new RedisBreaker(connectRedis(urls), log, metrics).namedBy(installation),
        [TOKENS.log, TOKENS.metrics, TOKENS.installation],
      )
      .onDeactivation((breaker) => breaker.close());
    bind(TOKENS.redisAnswersBreaker)
      .toDynamicValue(({ get }) => {
        const fasterBreaker = cacheUrls === null ? get(TOKENS.redisBreaker) : null;
        const redis = connectRedis(cacheUrls ?? urls);
        const breaker = new RedisBreaker(redis, get(TOKENS.log), get(TOKENS.metrics), ANSWERS, fasterBreaker);
        return breaker.namedBy(get(TOKENS.installation));
      })
      .onDeactivation((breaker) => breaker.close());
    bind(TOKENS.redisRequestLog).toResolvedValue(
      (breaker, clock, metrics) => new RedisRequestLog(breaker, new MemoryRequestLog(clock), metrics),
      [TOKENS.redisBreaker, TOKENS.monotonicClock, TOKENS.metrics],
    );
    bind(TOKENS.responseCache).toResolvedValue(
      (breaker, clock) => new RedisResponseCache(breaker, new MemoryResponseCache(clock), clock),
      [TOKENS.redisAnswersBreaker, TOKENS.clock],
    );
    bind(TOKENS.publishedGenerations).toResolvedValue(
      (breaker, requests) => new RedisGenerations(breaker, requests),
      [TOKENS.redisBreaker, TOKENS.redisRequestLog],
    );
    bind(TOKENS.requestLog).toResolvedValue((requests) => requests, [TOKENS.redisRequestLog]);
  });
}
