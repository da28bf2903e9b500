import type { RedisBreaker } from '../../../src/adapters/redis/redis-breaker.js';
import { RedisRequestLog } from '../../../src/adapters/redis/redis-request-log.js';
import { MonotonicClock } from '../../../src/adapters/system/monotonic-clock.js';
import type { Clock } from '../../../src/domain/ports/clock.js';
import type { Metrics } from '../../../src/domain/ports/metrics.js';

const FAILS_WITHOUT_REDIS: Metrics = {
  count: (event) => {
    throw new Error(`No command was sent to Redis: ${event}`);
  },
};

/** The request log of one process. It fails instead of judging a request without Redis. */
export function requestLogOn(breaker: RedisBreaker, clock: Clock = new MonotonicClock()): RedisRequestLog {
  return new RedisRequestLog(breaker, clock, FAILS_WITHOUT_REDIS);
}
