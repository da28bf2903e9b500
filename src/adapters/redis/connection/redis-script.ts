import { createHash } from 'node:crypto';
import type { RedisClient } from './connect-redis.js';

type Argument = string | number;

/** ioredis has these methods for every command; its types lack them for scripts. */
interface ForBytes {
  evalshaBuffer(sha: string, keys: number, ...rest: readonly Argument[]): Promise<unknown>;
  evalBuffer(text: string, keys: number, ...rest: readonly Argument[]): Promise<unknown>;
}

/** Sent as its SHA-1, and as its text if the server does not know that. */
export class RedisScript {
  readonly #sha: string;

  constructor(private readonly text: string) {
    this.#sha = createHash('sha1').update(text).digest('hex');
  }

  /** The reply has bytes instead of text. */
  async run(redis: RedisClient, keys: readonly string[], args: readonly Argument[]): Promise<unknown> {
    const forBytes = redis as RedisClient & ForBytes;
    try {
      return await forBytes.evalshaBuffer(this.#sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return forBytes.evalBuffer(this.text, keys.length, ...keys, ...args);
    }
  }
}
