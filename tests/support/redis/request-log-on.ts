import type { RedisBreaker } from '../../../src/adapters/redis/connection/redis-breaker.js';
import { RedisRequestLog } from '../../../src/adapters/redis/rate-limit/redis-request-log.js';
import { MonotonicClock } from '../../../src/adapters/system/system-clock.js';
import { ProcessWindows } from '../../../src/application/requests/process-windows.js';
import { RateLimit } from '../../../src/application/requests/rate-limit.js';
import type { ApiKey } from '../../../src/domain/model/api-key.js';
import type { Window, WindowState } from '../../../src/domain/model/window.js';
import type { Metrics } from '../../../src/domain/ports/system/metrics.js';

type Breaker = Pick<RedisBreaker, 'attempt' | 'slotOf'>;
type Key = Pick<ApiKey, 'id' | 'organizationId'>;

const FAILS_WITHOUT_REDIS: Metrics = {
  count: (event) => {
    throw new Error(`No command was sent to Redis: ${event}`);
  },
};

/** Fails instead of going without Redis. */
export function requestLogOn(breaker: Breaker): RedisRequestLog {
  return new RedisRequestLog(breaker, FAILS_WITHOUT_REDIS);
}

/** What Redis says of a request. */
export async function recordOn(breaker: Breaker, key: Key, window: Window): Promise<WindowState> {
  const state = await requestLogOn(breaker).record(key, window);
  if (state === null) throw new Error('Redis was not reached');
  return state;
}

/** The two windows of one process. */
export function limitOn(breaker: Breaker, window: Window, metrics: Metrics): RateLimit {
  const ofProcess = new ProcessWindows(window, new MonotonicClock());
  return new RateLimit(ofProcess, new RedisRequestLog(breaker, metrics), window);
}
