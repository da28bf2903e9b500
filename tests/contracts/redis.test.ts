import { Redis } from 'ioredis';
import * as mocha from 'mocha';
import { MemoryResponseCache } from '../../src/adapters/memory/memory-response-cache.js';
import { connectRedis, type RedisClient } from '../../src/adapters/redis/connect-redis.js';
import { RedisGenerations } from '../../src/adapters/redis/redis-generations.js';
import { RedisGuard } from '../../src/adapters/redis/redis-guard.js';
import { LIMITS_AND_GENERATIONS } from '../../src/adapters/redis/redis-purpose.js';
import { RedisRequestLog } from '../../src/adapters/redis/redis-request-log.js';
import { RedisResponseCache } from '../../src/adapters/redis/redis-response-cache.js';
import { ProcessMetrics } from '../../src/adapters/system/process-metrics.js';
import { SystemClock } from '../../src/adapters/system/system-clock.js';
import { generationBoardContract } from '../../src/contracts/generation-board.contract.js';
import { generationsContract } from '../../src/contracts/generations.contract.js';
import { requestLogContract } from '../../src/contracts/request-log.contract.js';
import { responseCacheContract } from '../../src/contracts/response-cache.contract.js';
import type { ResponseCache } from '../../src/domain/ports/response-cache.js';
import { NotedLog } from '../support/noted-log.js';
import { sharedCluster } from '../support/redis-cluster.js';
import { withClock } from '../support/redis-with-clock.js';
import { requestLogOn } from '../support/request-log-on.js';
import { SettableClock } from '../support/settable-clock.js';
import { sharedRedis } from '../support/test-redis.js';
import { shownOnBoard } from './generations.board.js';

const PATIENCE_MS = 5_000;
/** Nobody listens there. */
const NO_REDIS = 'redis://127.0.0.1:1';

/** What Redis does not answer fails the test: a fallback would pass it in Redis's stead. */
class UnforgivingGuard extends RedisGuard {
  constructor(redis: RedisClient) {
    super(redis, new NotedLog(), new ProcessMetrics(), {
      ...LIMITS_AND_GENERATIONS,
      commandTimeoutMs: PATIENCE_MS,
    });
  }

  override run<Result>(command: (redis: RedisClient) => Promise<Result>): Promise<Result> {
    let failure: unknown = 'it counts as away';
    const watched = (redis: RedisClient) =>
      command(redis).catch((error: unknown) => {
        failure = error;
        throw error;
      });
    return super.run(watched, () => {
      throw new Error(`Redis did not do it: ${failure}`, { cause: failure });
    });
  }
}

const FORGETS_ALL: ResponseCache = { get: async () => null, put: async () => {}, release: async () => {} };

describe('On a Redis server,', () => {
  const redis = sharedRedis();
  const connect = processes(() => connectRedis([redis().url]));

  itPassesOnRedis(connect);

  describe('with answers near at hand,', () => {
    responseCacheContract(
      mocha,
      RedisResponseCache,
      async () => ({
        subject: new RedisResponseCache(
          await connect(),
          new MemoryResponseCache(new SystemClock(), 16 * 2 ** 20),
        ),
      }),
      { lacks: ['elsewhere', 'advance'] },
    );
  });

  describe('whose clock is moved by hand,', () => {
    let clients: { client: Redis; setTime(millis: number): Promise<void> };
    const connectWithClock = processes(() => clients.client);

    requestLogContract(mocha, RedisRequestLog, async () => {
      clients = withClock(new Redis(redis().url));
      let now = Date.UTC(2026, 0, 15, 12);
      const monotonic = new SettableClock();
      await clients.setTime(now);
      return {
        subject: requestLogOn(await connectWithClock(), monotonic),
        advance: async (millis) => {
          now += millis;
          // Where Redis's clock is set back, so much time has passed that the process itself has forgotten all it accepted.
          monotonic.advance(millis > 0 ? millis : 3_600_000);
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

function itPassesOnRedis(connect: () => Promise<RedisGuard>): void {
  let away: RedisGuard | null = null;

  afterEach(async () => {
    await away?.close();
    away = null;
  });

  requestLogContract(
    mocha,
    RedisRequestLog,
    async () => ({
      subject: requestLogOn(await connect()),
    }),
    { lacks: ['advance'] },
  );

  generationsContract(mocha, RedisGenerations, async () => {
    const [publisher, reader] = [await connect(), await connect()];
    return shownOnBoard((readTables) => ({
      board: new RedisGenerations(publisher, readTables),
      subject: new RedisGenerations(reader, readTables),
    }));
  });

  generationBoardContract(mocha, RedisGenerations, async () => {
    const readTables = { current: async () => 0 };
    const reader = new RedisGenerations(await connect(), readTables);
    away = new RedisGuard(connectRedis([NO_REDIS]), new NotedLog(), new ProcessMetrics());
    return {
      subject: new RedisGenerations(await connect(), readTables),
      shown: (organizationId) => reader.current(organizationId),
      outOfReach: new RedisGenerations(away, readTables),
    };
  });

  responseCacheContract(
    mocha,
    RedisResponseCache,
    async () => ({
      subject: new RedisResponseCache(await connect(), FORGETS_ALL),
      elsewhere: new RedisResponseCache(await connect(), FORGETS_ALL),
    }),
    { lacks: ['advance'] },
  );
}

/** As many connections as a test asks for, each as a process of its own has it; closed when the test ends. */
function processes(open: () => RedisClient): () => Promise<RedisGuard> {
  const guards: RedisGuard[] = [];

  afterEach(async () => {
    await Promise.all(guards.splice(0).map((guard) => guard.close()));
  });

  return async () => {
    const redis = open();
    const guard = new UnforgivingGuard(redis);
    guards.push(guard);
    // Which gives up after a second, that a busy machine may take.
    while (redis.status !== 'ready') await guard.connected();
    return guard;
  };
}
