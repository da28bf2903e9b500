import { connectRedis } from '../../adapters/redis/connect-redis.js';
import { RedisGuard } from '../../adapters/redis/redis-guard.js';
import { PinoLog } from '../../adapters/system/pino-log.js';
import { ProcessMetrics } from '../../adapters/system/process-metrics.js';
import type { SyncConfiguration } from '../configuration.js';
import type { Program } from '../programs/program.js';
import { SyncLoop } from './sync-loop.js';
import { openSyncSession } from './sync-session.js';

/** The sync worker: goes on until it is stopped, whatever fails meanwhile. */
export class SyncProgram implements Program {
  readonly loop: SyncLoop;
  readonly #redis: RedisGuard | null;

  constructor(
    { writeDatabaseUrl, readDatabaseUrl, redisUrls, pollMs, logLevel, logPretty }: SyncConfiguration,
    logTo: NodeJS.WriteStream = process.stdout,
  ) {
    const log = new PinoLog(logLevel, logPretty ?? logTo.isTTY === true, logTo);
    const metrics = new ProcessMetrics();
    const redis = redisUrls === null ? null : new RedisGuard(connectRedis(redisUrls), log, metrics);
    const urls = { writeDatabaseUrl, readDatabaseUrl };
    this.loop = new SyncLoop(() => openSyncSession(urls, redis, metrics, log), pollMs, metrics, log);
    this.#redis = redis;
  }

  async start(): Promise<void> {
    await this.#redis?.connected();
    this.loop.start();
  }

  async stop(): Promise<void> {
    await this.loop.stop();
    await this.#redis?.close();
  }
}
