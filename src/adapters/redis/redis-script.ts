import { createHash } from 'node:crypto';
import type { RedisClient } from './connect-redis.js';

type Argument = string | number;

/** A Lua script that travels as its SHA-1, and as its text when the server has not seen it or has forgotten it. */
export class RedisScript {
  readonly #sha: string;

  constructor(private readonly text: string) {
    this.#sha = createHash('sha1').update(text).digest('hex');
  }

  async run(redis: RedisClient, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    try {
      return await redis.evalsha(this.#sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return redis.eval(this.text, keys.length, ...keys, ...args);
    }
  }
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
