import { connectRedis, type RedisClient } from '../../../src/adapters/redis/connection/connect-redis.js';
import { probeName } from '../../../src/adapters/redis/connection/key-names.js';
import { RedisBreaker, type RedisPurpose } from '../../../src/adapters/redis/connection/redis-breaker.js';
import { LIMITS } from '../../../src/adapters/redis/rate-limit/redis-request-log.js';
import { redisBreaker } from '../../../src/composition/redis-state.js';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import { RecordingLog } from '../programs/recording-log.js';

/** A probe of a program that only writes. */
const write: RedisPurpose['probe'] = (redis, name) => redis.set(probeName(name, 'answer'), '', 'PX', 1_000);

/** The connection of one process to Redis, with its circuit breaker. */
export class ConnectedRedis {
  readonly log = new RecordingLog();
  readonly metrics = new MemoryMetrics();
  readonly breaker: RedisBreaker;

  private constructor(
    readonly client: RedisClient,
    { commandTimeoutMs = LIMITS.commandTimeoutMs, probe = write }: Partial<RedisPurpose>,
  ) {
    const purpose = { ...LIMITS, commandTimeoutMs, probe };
    this.breaker = new RedisBreaker(client, this.log, this.metrics, purpose, redisBreaker, null);
  }

  static async connect(urls: readonly string[], purpose?: Partial<RedisPurpose>): Promise<ConnectedRedis> {
    return ConnectedRedis.around(connectRedis(urls), purpose);
  }

  static async around(client: RedisClient, purpose: Partial<RedisPurpose> = {}): Promise<ConnectedRedis> {
    const connected = new ConnectedRedis(client, purpose);
    await connected.breaker.connected();
    return connected;
  }

  close(): Promise<void> {
    return this.breaker.close();
  }
}

/** Connects as many as a test needs. They are closed when it ends. */
export function processesOf(url: () => string): (purpose?: Partial<RedisPurpose>) => Promise<ConnectedRedis> {
  const open: ConnectedRedis[] = [];

  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
  });

  return async (purpose) => {
    const connected = await ConnectedRedis.connect([url()], purpose);
    open.push(connected);
    return connected;
  };
}
