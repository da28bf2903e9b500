import { connectRedis, type RedisClient } from '../../../src/adapters/redis/connection/connect-redis.js';
import {
  LIMITS_AND_GENERATIONS,
  RedisBreaker,
} from '../../../src/adapters/redis/connection/redis-breaker.js';
import { MemoryMetrics } from '../../../src/contracts/fakes/memory-metrics.js';
import { RecordingLog } from '../programs/recording-log.js';

/** The connection of one process to Redis, with its circuit breaker. */
export class ConnectedRedis {
  readonly log = new RecordingLog();
  readonly metrics = new MemoryMetrics();
  readonly breaker: RedisBreaker;

  private constructor(
    readonly client: RedisClient,
    commandTimeoutMs = LIMITS_AND_GENERATIONS.commandTimeoutMs,
  ) {
    const purpose = { ...LIMITS_AND_GENERATIONS, commandTimeoutMs };
    this.breaker = new RedisBreaker(client, this.log, this.metrics, purpose);
  }

  static async connect(urls: readonly string[], timeoutMs?: number): Promise<ConnectedRedis> {
    return ConnectedRedis.around(connectRedis(urls), timeoutMs);
  }

  static async around(client: RedisClient, timeoutMs?: number): Promise<ConnectedRedis> {
    const connected = new ConnectedRedis(client, timeoutMs);
    await connected.breaker.connected();
    return connected;
  }

  close(): Promise<void> {
    return this.breaker.close();
  }
}

/** Connects as many as a test needs. They are closed when it ends. */
export function processesOf(url: () => string): (timeoutMs?: number) => Promise<ConnectedRedis> {
  const open: ConnectedRedis[] = [];

  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
  });

  return async (timeoutMs) => {
    const connected = await ConnectedRedis.connect([url()], timeoutMs);
    open.push(connected);
    return connected;
  };
}
