import type { CountedEvent } from '../../domain/ports/metrics.js';

/** The purpose of a connection: bodies take time to transfer, and other commands must not wait for them. */
export interface RedisPurpose {
  /** The time limit of a command. */
  readonly commandTimeoutMs: number;
  readonly opened: { readonly message: string; readonly event: CountedEvent };
  readonly closed: { readonly message: string; readonly event: CountedEvent };
}

export const LIMITS_AND_GENERATIONS: RedisPurpose = {
  commandTimeoutMs: 100,
  opened: {
    message: 'Redis is unavailable: each process works without it',
    event: 'redis-breaker-opened',
  },
  closed: {
    message: 'Redis is available again',
    event: 'redis-breaker-closed',
  },
};

/** The largest shared body takes a tenth of a second at 100 Mbit/s, and others may be sent before it. */
export const ANSWERS: RedisPurpose = {
  commandTimeoutMs: 1_000,
  opened: {
    message: 'The shared cache is unavailable: each process computes and caches its own answers',
    event: 'redis-cache-breaker-opened',
  },
  closed: { message: 'The shared cache is available again', event: 'redis-cache-breaker-closed' },
};
