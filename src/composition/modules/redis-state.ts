import { ContainerModule } from 'inversify';
import { MemoryResponseCache } from '../../adapters/memory/memory-response-cache.js';
import { connectRedis } from '../../adapters/redis/connect-redis.js';
import { RedisGenerations } from '../../adapters/redis/redis-generations.js';
import { RedisGuard } from '../../adapters/redis/redis-guard.js';
import { ANSWERS } from '../../adapters/redis/redis-purpose.js';
import { RedisRequestLog } from '../../adapters/redis/redis-request-log.js';
import { RedisResponseCache } from '../../adapters/redis/redis-response-cache.js';
import { MonotonicClock } from '../../adapters/system/monotonic-clock.js';
import { boardUpkeep } from '../board-upkeep.js';
import { InstallationWatch } from '../installation-watch.js';
import { NEAR_CACHE_BYTES } from '../near-cache-bytes.js';
import { TOKENS } from '../tokens.js';
import type { Upkeep } from '../upkeep.js';

/**
 * Limiter, cache and generations of all processes together; each has what it falls back to while Redis is away. Bodies travel on
 * a connection of their own, also where the server is the same: nobody's limit waits for them. `cacheUrls` is null where it is.
 */
export function redisState(urls: readonly string[], cacheUrls: readonly string[] | null): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.redisGuard)
      .toResolvedValue(
        (log, metrics) => new RedisGuard(connectRedis(urls), log, metrics),
        [TOKENS.log, TOKENS.metrics],
      )
      .inSingletonScope()
      .onDeactivation((guard) => guard.close());
    bind(TOKENS.redisAnswersGuard)
      .toResolvedValue(
        (log, metrics, guard) =>
          new RedisGuard(
            connectRedis(cacheUrls ?? urls),
            log,
            metrics,
            ANSWERS,
            cacheUrls === null ? guard : null,
          ),
        [TOKENS.log, TOKENS.metrics, TOKENS.redisGuard],
      )
      .inSingletonScope()
      .onDeactivation((guard) => guard.close());
    bind(TOKENS.redisRequestLog)
      .toResolvedValue(
        (guard, metrics) => new RedisRequestLog(guard, new MonotonicClock(), metrics),
        [TOKENS.redisGuard, TOKENS.metrics],
      )
      .inSingletonScope();
    bind(TOKENS.responseCache)
      .toResolvedValue(
        (guard, clock) => new RedisResponseCache(guard, new MemoryResponseCache(clock, NEAR_CACHE_BYTES)),
        [TOKENS.redisAnswersGuard, TOKENS.clock],
      )
      .inSingletonScope();
    bind(TOKENS.redisGenerations)
      .toResolvedValue(
        (guard, table, requests) => new RedisGenerations(guard, table, requests),
        [TOKENS.redisGuard, TOKENS.generationTable, TOKENS.redisRequestLog],
      )
      .inSingletonScope();
    bind(TOKENS.requestLog).toResolvedValue((requests) => requests, [TOKENS.redisRequestLog]);
    bind(TOKENS.generations).toResolvedValue((generations) => generations, [TOKENS.redisGenerations]);
    bind(TOKENS.upkeep)
      .toResolvedValue(
        (guard, answers, generations, table, installation, log) =>
          onceConnected(
            answers,
            boardUpkeep(
              guard,
              generations,
              table,
              new InstallationWatch([guard, answers], installation),
              log,
            ),
          ),
        [
          TOKENS.redisGuard,
          TOKENS.redisAnswersGuard,
          TOKENS.redisGenerations,
          TOKENS.generationTable,
          TOKENS.installation,
          TOKENS.log,
        ],
      )
      .inSingletonScope();
  });
}

/** The first request finds the connection there. */
function onceConnected(answers: RedisGuard, upkeep: Upkeep): Upkeep {
  return {
    start: async () => {
      await answers.connected();
      await upkeep.start();
    },
    stop: () => upkeep.stop(),
  };
}
