import { Cluster } from 'ioredis';
import { CONNECT_TIMEOUT_MS, type RedisClient } from './connect-redis.js';

/** Why there is no connection, in words for an operator and without secrets. */
export class ConnectionProblem {
  #last: string | null = null;
  #ofSentinel: string | null = null;

  constructor(redis: RedisClient, report: (problem: string) => void = () => {}) {
    const { tls } = redis instanceof Cluster ? (redis.options.redisOptions ?? {}) : redis.options;
    redis.on('sentinelError', (error: Error) => {
      this.#ofSentinel = error.message;
    });
    redis.on('error', (error: Error) => {
      // The commands in progress when the connection was closed, for a reason that was reported just before.
      if (error.message.startsWith('Stream isn')) return;
      const cause = withoutSecrets(this.#causeOf(error));
      this.#last = tls === undefined ? cause : explainedForTls(cause);
      report(this.#last);
    });
    redis.on('ready', () => {
      // The connection may have been closed in the meantime.
      if (redis.status === 'ready') this.#last = null;
    });
  }

  /** The problem of the last attempt to connect; null: there has been none since the last connection. */
  get last(): string | null {
    return this.#last;
  }

  /** Some errors of the client replace several others without naming them. */
  #causeOf(error: Error & { readonly lastNodeError?: Error | null }): string {
    const { message, lastNodeError } = error;
    if (lastNodeError) return `${message} ${lastNodeError.message}`;
    const isOfSentinels = message.startsWith('All sentinels are unreachable');
    return isOfSentinels && this.#ofSentinel !== null ? this.#ofSentinel : message;
  }
}

/** A server quotes unknown commands with their arguments: where AUTH is renamed, that includes the password. */
function withoutSecrets(message: string): string {
  return message.replace(/,? with args beginning with.*$/s, '');
}

/** A Redis without TLS does not answer the handshake: it waits for the end of what it takes for a command. */
function explainedForTls(cause: string): string {
  if (!cause.endsWith('connect ETIMEDOUT')) return cause;
  return (
    `${cause}: no TLS connection within ${CONNECT_TIMEOUT_MS} ms. The port may not use TLS: ` +
    'use a port with TLS, or redis:// instead of rediss:// (sentinel:// instead of sentinels://)'
  );
}
