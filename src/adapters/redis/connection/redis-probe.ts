import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { ConnectionProblem, connectRedis, isCluster, type RedisClient } from './connect-redis.js';
import { NO_ORGANIZATION, namePrefix } from './key-names.js';
import type { RedisPurpose } from './redis-breaker.js';

export interface RedisFacts {
  readonly version: string;
  readonly isReplica: boolean;
  /** 0: no limit other than the machine's memory. */
  readonly maxMemoryBytes: number;
  readonly evictionPolicy: string;
}

/** Checks Redis for an operator; nothing here ends by itself if Redis is frozen. */
export class RedisProbe {
  readonly #redis: RedisClient;
  readonly #connection: ConnectionProblem;

  constructor(urls: readonly string[]) {
    this.#redis = connectRedis(urls);
    // The first error reaches the caller that waits; later attempts fail in the same way.
    this.#connection = new ConnectionProblem(this.#redis);
  }

  /** The facts of the server, or of each master of a cluster. */
  async facts(): Promise<readonly RedisFacts[]> {
    return Promise.all((await this.#servers()).map(factsOf));
  }

  /** The time of one of the servers. */
  async timeMs(): Promise<number> {
    const [redis] = await this.#servers();
    const [seconds, microseconds] = (await redis?.time()) ?? [];
    return Number(seconds) * 1000 + Number(microseconds) / 1000;
  }

  /** Sends commands with key names that no program reads. */
  async tryOut(probe: RedisPurpose['probe']): Promise<void> {
    await this.#servers();
    this.#redis.options.keyPrefix = namePrefix('doctor');
    await probe(this.#redis, NO_ORGANIZATION);
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }

  async #servers(): Promise<readonly Redis[]> {
    if (this.#redis.status !== 'ready') {
      await once(this.#redis, 'ready').catch((error: Error) => {
        throw new Error(this.#connection.last ?? error.message);
      });
    }
    return isCluster(this.#redis) ? this.#redis.nodes('master') : [this.#redis];
  }
}

async function factsOf(redis: Redis): Promise<RedisFacts> {
  const info = await redis.info();
  const field = (name: string) => new RegExp(`^${name}:(.*)\r$`, 'm').exec(info)?.[1] ?? '';
  return {
    version: field('redis_version'),
    isReplica: field('role') === 'slave',
    maxMemoryBytes: Number(field('maxmemory')),
    evictionPolicy: field('maxmemory_policy'),
  };
}
