import { setTimeout as pause } from 'node:timers/promises';
import { ContainerModule } from 'inversify';
import { ANSWERS, RedisResponseCache } from '../adapters/redis/cache/redis-response-cache.js';
import { connectRedis } from '../adapters/redis/connection/connect-redis.js';
import { type NewBreaker, RedisBreaker } from '../adapters/redis/connection/redis-breaker.js';
import { LIMITS, RedisRequestLog } from '../adapters/redis/rate-limit/redis-request-log.js';
import { CircuitBreaker } from '../application/requests/circuit-breaker.js';
import type { RequestLog } from '../domain/ports/answering/request-log.js';
import type { ResponseCache } from '../domain/ports/answering/response-cache.js';
import type { Clock } from '../domain/ports/system/clock.js';
import type { Metrics } from '../domain/ports/system/metrics.js';
import type { ApiConfiguration } from './settings/configuration.js';
import { API_PORTS, token } from './tokens.js';

export const LIMITS_IN_REDIS = token<RedisBreaker>('LimitsInRedis');
export const ANSWERS_IN_REDIS = token<RedisBreaker>('AnswersInRedis');
/** The breaker of the limits; null: the answers are on another server. */
const FASTER_BREAKER = token<RedisBreaker | null>('FasterBreaker');

const PROBE_EVERY_MS = 250;

export const redisBreaker: NewBreaker = (probe, opened, closed) => {
  const betweenProbes = () => pause(PROBE_EVERY_MS, undefined, { ref: false });
  return new CircuitBreaker({ name: 'Redis', probe, pause: betweenProbes, opened, closed });
};

type Urls = Pick<ApiConfiguration, 'redisUrls' | 'redisCacheUrls'>;

/**
 * A single process needs nothing beside its own windows and its own answers. Its requests of a turn
 * of the event loop are admitted together, as those are that wait for Redis: each response that is
 * written at its own time would wake its reader by itself.
 */
class NothingRecorded implements RequestLog {
  #endOfTurn: Promise<null> | null = null;

  record(): Promise<null> {
    this.#endOfTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#endOfTurn = null;
        resolve(null);
      });
    });
    return this.#endOfTurn;
  }
}
const NOTHING_CACHED: ResponseCache = { get: async () => null, put: async () => {} };

/**
 * What all processes share, each with a fallback. Answers have a connection of their own, so that
 * they do not delay the limiter.
 */
export function redisState({ redisUrls, redisCacheUrls }: Urls): ContainerModule {
  const { log, metrics, installation, clock, requestLog, responseCache } = API_PORTS;
  return new ContainerModule(({ bind }) => {
    if (redisUrls === null) {
      bind(requestLog).toConstantValue(new NothingRecorded());
      bind(responseCache).toConstantValue(NOTHING_CACHED);
      return;
    }
    bind(LIMITS_IN_REDIS)
      .toResolvedValue(
        (log, metrics, installation) =>
          new RedisBreaker(connectRedis(redisUrls), log, metrics, LIMITS, redisBreaker, null).namedBy(
            installation,
          ),
        [log, metrics, installation],
      )
      .onDeactivation((breaker) => breaker.close());
    const faster = bind(FASTER_BREAKER);
    if (redisCacheUrls === null) faster.toService(LIMITS_IN_REDIS);
    else faster.toConstantValue(null);
    bind(ANSWERS_IN_REDIS)
      .toResolvedValue(
        (log, metrics, installation, faster) => {
          const connection = connectRedis(redisCacheUrls ?? redisUrls);
          return new RedisBreaker(connection, log, metrics, ANSWERS, redisBreaker, faster).namedBy(
            installation,
          );
        },
        [log, metrics, installation, FASTER_BREAKER],
      )
      .onDeactivation((breaker) => breaker.close());
    const limits = (breaker: RedisBreaker, metrics: Metrics) => new RedisRequestLog(breaker, metrics);
    bind(requestLog).toResolvedValue(limits, [LIMITS_IN_REDIS, metrics]);
    const answers = (breaker: RedisBreaker, clock: Clock) => new RedisResponseCache(breaker, clock);
    bind(responseCache).toResolvedValue(answers, [ANSWERS_IN_REDIS, clock]);
  });
}
