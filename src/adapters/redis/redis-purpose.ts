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
    message: 'Redis is away: each process limits and caches on its own until it is back',
    event: 'redis-breaker-opened',
  },
  regained: { message: 'Redis is back: limits and cache are shared again', event: 'redis-breaker-closed' },
};

/** The largest shared body takes a tenth of a second at 100 Mbit/s, and others may be sent before it. */
export const ANSWERS: RedisPurpose = {
  commandTimeoutMs: 1_000,
  lost: {
    message: 'Shared answers are out of reach: each process computes and caches its own until they are back',
    event: 'redis-cache-breaker-opened',
  },
  regained: { message: 'Answers are shared again', event: 'redis-cache-breaker-closed' },
};
