import type { CountedEvent } from '../../domain/ports/metrics.js';

/** What a connection is for: bodies take their time, and must not be what others wait for. */
export interface RedisPurpose {
  /** What a command is given. */
  readonly commandTimeoutMs: number;
  readonly lost: { readonly message: string; readonly event: CountedEvent };
  readonly regained: { readonly message: string; readonly event: CountedEvent };
}

export const LIMITS_AND_GENERATIONS: RedisPurpose = {
  commandTimeoutMs: 100,
  lost: {
    message: 'Redis is away: each process limits and caches on its own until it is back',
    event: 'redis-lost',
  },
  regained: { message: 'Redis is back: limits and cache are shared again', event: 'redis-regained' },
};

/** The largest body that is shared takes a tenth of a second at 100 Mbit/s, and others may be on their way before it. */
export const ANSWERS: RedisPurpose = {
  commandTimeoutMs: 1_000,
  lost: {
    message: 'Shared answers are out of reach: each process computes and caches its own until they are back',
    event: 'redis-cache-lost',
  },
  regained: { message: 'Answers are shared again', event: 'redis-cache-regained' },
};
