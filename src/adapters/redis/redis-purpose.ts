import type { CountedEvent } from '../../domain/ports/metrics.js';

/** The purpose of a connection: bodies take time to transfer, and other commands must not wait for them. */
export interface RedisPurpose {
  /** The time limit of a command. */
  readonly commandTimeoutMs: number;
  readonly lost: { readonly message: string; readonly event: CountedEvent };
  readonly regained: { readonly message: string; readonly event: CountedEvent };
}

export const LIMITS_AND_GENERATIONS: RedisPurpose = {
  commandTimeoutMs: 100,
  lost: {
    message: 'Redis is unavailable: each process limits and caches by itself',
    event: 'redis-breaker-opened',
  },
  regained: {
    message: 'Redis is available again: limits and cache are shared',
    event: 'redis-breaker-closed',
  },
};

/** The largest shared body takes a tenth of a second at 100 Mbit/s, and others may be sent before it. */
export const ANSWERS: RedisPurpose = {
  commandTimeoutMs: 1_000,
  lost: {
    message: 'The shared cache is unavailable: each process computes and caches its own answers',
    event: 'redis-cache-breaker-opened',
  },
  regained: { message: 'The shared cache is available again', event: 'redis-cache-breaker-closed' },
};
