import { createHash } from 'node:crypto';
import type { RedisClient } from './connect-redis.js';

type Argument = string | number;

/** ioredis has these methods for every command; its types lack them for scripts. */
interface ForBytes {
  evalshaBuffer(sha: string, keys: number, ...rest: readonly Argument[]): Promise<unknown>;
  evalBuffer(text: string, keys: number, ...rest: readonly Argument[]): Promise<unknown>;
}

/** A Lua script that is sent as its SHA-1, and as its text if the server does not know it or has lost it. */
export class RedisScript {
  readonly #sha: string;

  constructor(private readonly text: string) {
    this.#sha = createHash('sha1').update(text).digest('hex');
  }

  run(redis: RedisClient, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    return this.#shortOrWhole(
      () => redis.evalsha(this.#sha, keys.length, ...keys, ...args),
      () => redis.eval(this.text, keys.length, ...keys, ...args),
    );
  }

  /** The same, but the reply has bytes instead of text. */
  runForBytes(redis: RedisClient, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const forBytes = redis as RedisClient & ForBytes;
    return this.#shortOrWhole(
      () => forBytes.evalshaBuffer(this.#sha, keys.length, ...keys, ...args),
      () => forBytes.evalBuffer(this.text, keys.length, ...keys, ...args),
    );
  }

  async #shortOrWhole(short: () => Promise<unknown>, whole: () => Promise<unknown>): Promise<unknown> {
    try {
      return await short();
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      return whole();
    }
  }
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}
