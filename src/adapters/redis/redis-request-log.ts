import type { ApiKey } from '../../domain/model/api-key.js';
import type { Window, WindowState } from '../../domain/model/window.js';
import type { RequestLog } from '../../domain/ports/request-log.js';
import { requestLogName } from './key-names.js';
import type { RedisGuard } from './redis-guard.js';
import { RedisScript } from './redis-script.js';

/**
 * `recordRequest` of the sliding-window policy, on Redis's clock. A LIST has a third of a sorted set's size and cannot lose one of
 * two requests of the same millisecond. What has left the window is only removed by a request that is accepted, so that a
 * refused one writes nothing.
 */
const RECORD = new RedisScript(`
  local log, limit, length = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
  local time = redis.call('TIME')
  local clock = time[1] * 1000 + math.floor(time[2] / 1000)

  local newest = tonumber(redis.call('LINDEX', log, -1))
  if newest and newest - clock >= length then
    redis.call('DEL', log)
    newest = nil
  end
  local now = math.max(clock, newest or clock)

  local gone = 0
  local oldest = tonumber(redis.call('LINDEX', log, 0))
  while oldest and now - oldest >= length do
    gone = gone + 1
    oldest = tonumber(redis.call('LINDEX', log, gone))
  end
  local count = redis.call('LLEN', log) - gone

  if count < limit then
    if gone > 0 then redis.call('LTRIM', log, gone, -1) end
    redis.call('RPUSH', log, now)
    redis.call('PEXPIRE', log, now - clock + length)
    return {1, count + 1, oldest or now, oldest or now, clock}
  end
  return {0, count, oldest, tonumber(redis.call('LINDEX', log, gone + count - limit)), clock}
`);

/** One log for all processes. While Redis is away, each process keeps `own`. */
export class RedisRequestLog implements RequestLog {
  constructor(
    private readonly guard: RedisGuard,
    private readonly own: RequestLog,
  ) {}

  record(key: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): Promise<WindowState> {
    const name = requestLogName(key.organizationId, key.id);
    return this.guard.run(
      async (redis) => toState(await RECORD.run(redis, [name], [window.limit, window.lengthMs])),
      () => this.own.record(key, window),
    );
  }
}

function toState(reply: unknown): WindowState {
  const [accepted, count, oldestAt, blockingAt, now] = reply as [number, number, number, number, number];
  return { accepted: accepted === 1, count, oldestAt, blockingAt, now };
}
