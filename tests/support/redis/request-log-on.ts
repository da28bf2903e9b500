import { MemoryRequestLog } from '../../../src/adapters/memory/memory-request-log.js';
import type { RedisBreaker } from '../../../src/adapters/redis/connection/redis-breaker.js';
import { RedisRequestLog } from '../../../src/adapters/redis/rate-limit/redis-request-log.js';
import { MonotonicClock } from '../../../src/adapters/system/system-clock.js';
import type { Clock } from '../../../src/domain/ports/system/clock.js';
import type { Metrics } from '../../../src/domain/ports/system/metrics.js';

const FAILS_WITHOUT_REDIS: Metrics = {
  count: (event) => {
    throw new Error(`No command was sent to Redis: ${event}`);
  },
};

/** The request log of one process. By default it fails instead of judging a request without Redis. */
export function requestLogOn(
  breaker: Pick<RedisBreaker, 'run' | 'slotOf'>,
  { clock = new MonotonicClock(), metrics = FAILS_WITHOUT_REDIS }: { clock?: Clock; metrics?: Metrics } = {},
): RedisRequestLog {
  return new RedisRequestLog(breaker, new MemoryRequestLog(clock), metrics);
}
