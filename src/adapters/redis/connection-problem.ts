import type { RedisClient } from './connect-redis.js';

/** Why there is no connection, in words that an operator can use and that hold no secret. */
export class ConnectionProblem {
  #last: string | null = null;
  #ofSentinel: string | null = null;

  constructor(redis: RedisClient, tell: (problem: string) => void = () => {}) {
    redis.on('sentinelError', (error: Error) => {
      this.#ofSentinel = error.message;
    });
    redis.on('error', (error: Error) => {
      // What was under way when the connection was left, for the reason told just before.
      if (error.message.startsWith('Stream isn')) return;
      this.#last = withoutSecrets(this.#causeOf(error));
      tell(this.#last);
    });
    redis.on('ready', () => {
      // It may have been left meanwhile.
      if (redis.status === 'ready') this.#last = null;
    });
  }

  /** Of the last attempt to connect; null: there was no problem since the last connection. */
  get last(): string | null {
    return this.#last;
  }

  /** Some errors of the client sum others up, and do not say what they were. */
  #causeOf(error: Error & { readonly lastNodeError?: Error | null }): string {
    const { message, lastNodeError } = error;
    if (lastNodeError) return `${message} ${lastNodeError.message}`;
    const isOfSentinels = message.startsWith('All sentinels are unreachable');
    return isOfSentinels && this.#ofSentinel !== null ? this.#ofSentinel : message;
  }
}

/** A server quotes what it does not know: where AUTH has another name, the password. */
function withoutSecrets(message: string): string {
  return message.replace(/,? with args beginning with.*$/s, '');
}
