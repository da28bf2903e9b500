import { ContainerModule } from 'inversify';
import { ANSWERS, RedisResponseCache } from '../../adapters/redis/cache/redis-response-cache.js';
import { connectRedis } from '../../adapters/redis/connection/connect-redis.js';
import { RedisBreaker } from '../../adapters/redis/connection/redis-breaker.js';
import { LIMITS, RedisRequestLog } from '../../adapters/redis/rate-limit/redis-request-log.js';
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
      .toDynamicValue(({ get }) => {
        const breaker = new RedisBreaker(connectRedis(urls), get(TOKENS.log), get(TOKENS.metrics), LIMITS);
        return breaker.namedBy(get(TOKENS.installation));
      })
      .onDeactivation((breaker) => breaker.close());
    bind(TOKENS.redisAnswersBreaker)
      .toDynamicValue(({ get }) => {
        const fasterBreaker = cacheUrls === null ? get(TOKENS.redisBreaker) : null;
        const redis = connectRedis(cacheUrls ?? urls);
        const breaker = new RedisBreaker(redis, get(TOKENS.log), get(TOKENS.metrics), ANSWERS, fasterBreaker);
        return breaker.namedBy(get(TOKENS.installation));
      })
      .onDeactivation((breaker) => breaker.close());
    bind(TOKENS.requestLog).toResolvedValue(
      (breaker, metrics) => new RedisRequestLog(breaker, metrics),
      [TOKENS.redisBreaker, TOKENS.metrics],
    );
    bind(TOKENS.responseCache).toResolvedValue(
      (breaker, clock) => new RedisResponseCache(breaker, clock),
      [TOKENS.redisAnswersBreaker, TOKENS.clock],
    );
  });
}
