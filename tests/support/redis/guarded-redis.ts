import { connectRedis, type RedisClient } from '../../../src/adapters/redis/connect-redis.js';
import { RedisGuard } from '../../../src/adapters/redis/redis-guard.js';
import { LIMITS_AND_GENERATIONS } from '../../../src/adapters/redis/redis-purpose.js';
import { ProcessMetrics } from '../../../src/adapters/system/process-metrics.js';
import { NotedLog } from '../programs/noted-log.js';

/** What one process has of Redis: a connection of its own, and a guard before it. */
export class GuardedRedis {
  readonly log = new NotedLog();
  readonly metrics = new ProcessMetrics();
  readonly guard: RedisGuard;

  private constructor(
    readonly client: RedisClient,
    commandTimeoutMs = LIMITS_AND_GENERATIONS.commandTimeoutMs,
  ) {
    const purpose = { ...LIMITS_AND_GENERATIONS, commandTimeoutMs };
    this.guard = new RedisGuard(client, this.log, this.metrics, purpose);
  }

  static async connect(urls: readonly string[], timeoutMs?: number): Promise<GuardedRedis> {
    return GuardedRedis.around(connectRedis(urls), timeoutMs);
  }

  static async around(client: RedisClient, timeoutMs?: number): Promise<GuardedRedis> {
    const guarded = new GuardedRedis(client, timeoutMs);
    await guarded.guard.connected();
    return guarded;
  }

  close(): Promise<void> {
    return this.guard.close();
  }
}

/** As many as a test connects, closed when it ends. */
export function processesOf(url: () => string): (timeoutMs?: number) => Promise<GuardedRedis> {
  const open: GuardedRedis[] = [];

  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.close()));
  });

  return async (timeoutMs) => {
    const connected = await GuardedRedis.connect([url()], timeoutMs);
    open.push(connected);
    return connected;
  };
}
