import { connectRedis, type RedisClient } from '../../../src/adapters/redis/connection/connect-redis.js';
import { RedisBreaker, type RedisPurpose } from '../../../src/adapters/redis/connection/redis-breaker.js';
import { PUBLISHING } from '../../../src/adapters/redis/generations/redis-generations.js';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import { RecordingLog } from '../programs/recording-log.js';

/** The connection of one process to Redis, with its circuit breaker. */
export class ConnectedRedis {
  readonly log = new RecordingLog();
  readonly metrics = new MemoryMetrics();
  readonly breaker: RedisBreaker;

  private constructor(
    readonly client: RedisClient,
    { commandTimeoutMs = PUBLISHING.commandTimeoutMs, probe = PUBLISHING.probe }: Partial<RedisPurpose>,
  ) {
    const purpose = { ...PUBLISHING, commandTimeoutMs, probe };
    this.breaker = new RedisBreaker(client, this.log, this.metrics, purpose);
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
