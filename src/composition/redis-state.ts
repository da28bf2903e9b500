import { ContainerModule } from 'inversify';
import { ANSWERS, RedisResponseCache } from '../adapters/redis/cache/redis-response-cache.js';
import { connectRedis } from '../adapters/redis/connection/connect-redis.js';
import { RedisBreaker } from '../adapters/redis/connection/redis-breaker.js';
import { LIMITS, RedisRequestLog } from '../adapters/redis/rate-limit/redis-request-log.js';
import type { RequestLog } from '../domain/ports/answering/request-log.js';
import type { ResponseCache } from '../domain/ports/answering/response-cache.js';
import type { ApiConfiguration } from './settings/configuration.js';
import { TOKENS } from './tokens.js';

const { redisBreaker, redisAnswersBreaker } = TOKENS;

/**
 * What all processes share, each with a fallback. Answers have a connection of their own, so that
 * they do not delay the limiter.
 */
export function redisState(
  urls: readonly string[],
  { redisCacheUrls: cacheUrls }: Pick<ApiConfiguration, 'redisCacheUrls'>,
): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(redisBreaker)
      .toResolvedValue(
        (log, metrics, installation) =>
          new RedisBreaker(connectRedis(urls), log, metrics, LIMITS).namedBy(installation),
        [TOKENS.log, TOKENS.metrics, TOKENS.installation],
      )
      .onDeactivation((breaker) => breaker.close());
    const faster = bind(TOKENS.fasterBreaker);
    if (cacheUrls === null) faster.toService(redisBreaker);
    else faster.toConstantValue(null);
    bind(redisAnswersBreaker)
      .toResolvedValue(
        (log, metrics, installation, fasterBreaker) =>
          new RedisBreaker(connectRedis(cacheUrls ?? urls), log, metrics, ANSWERS, fasterBreaker).namedBy(
            installation,
          ),
        [TOKENS.log, TOKENS.metrics, TOKENS.installation, TOKENS.fasterBreaker],
      )
      .onDeactivation((breaker) => breaker.close());
    bind(TOKENS.requestLog).toResolvedValue(
      (breaker, metrics) => new RedisRequestLog(breaker, metrics),
      [redisBreaker, TOKENS.metrics],
    );
    bind(TOKENS.responseCache).toResolvedValue(
      (breaker, clock) => new RedisResponseCache(breaker, clock),
      [redisAnswersBreaker, TOKENS.clock],
    );
  });
}

const NOTHING_RECORDED: RequestLog = { recordsWithinMs: 0, record: () => null };
const NOTHING_CACHED: ResponseCache = { get: async () => null, put: async () => {} };

/** A single process needs nothing beside its own windows and its own answers. */
export function inMemory(): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.requestLog).toConstantValue(NOTHING_RECORDED);
    bind(TOKENS.responseCache).toConstantValue(NOTHING_CACHED);
  });
}
