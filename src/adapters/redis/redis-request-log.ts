import type { ApiKey } from '../../domain/model/api-key.js';
import type { Window, WindowState } from '../../domain/model/window.js';
import type { RequestLog } from '../../domain/ports/request-log.js';
import { generationName, requestLogName } from './key-names.js';
import type { RedisGuard } from './redis-guard.js';
import { RedisScript } from './redis-script.js';

/**
 * `recordRequest` of the sliding-window policy, on Redis's clock. A LIST has a third of a sorted set's size and cannot lose one of
 * two requests of the same millisecond. What has left the window is only removed by a request that is accepted, so that a
 * refused one writes nothing. The generation comes along: whoever is admitted needs it next.
 */
const RECORD = new RedisScript(`
  local log, limit, length = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
  local generation = redis.call('GET', KEYS[2])
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
    return {1, count + 1, oldest or now, oldest or now, clock, generation}
  end
  return {0, count, oldest, tonumber(redis.call('LINDEX', log, gone + count - limit)), clock, generation}
`);

/** One log for all processes. While Redis is away, each process keeps `own`. */
export class RedisRequestLog implements RequestLog {
  readonly #arriving = new Map<string, Promise<string | null>>();

  constructor(
    private readonly guard: RedisGuard,
    private readonly own: RequestLog,
  ) {}

  record(key: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): Promise<WindowState> {
    const { id, organizationId } = key;
    const names = [requestLogName(organizationId, id), generationName(organizationId)];
    const reply = this.guard.run<RecordReply | null>(
      async (redis) => (await RECORD.run(redis, names, [window.limit, window.lengthMs])) as RecordReply,
      () => null,
    );
    this.#announce(organizationId, reply);
    return reply.then((recorded) => (recorded === null ? this.own.record(key, window) : toState(recorded)));
  }

  /** What Redis shows as the organization's generation, where a command brings it that was sent in this very turn; else null. */
  arrivingGeneration(organizationId: string): Promise<string | null> | null {
    return this.#arriving.get(organizationId) ?? null;
  }

  /** Only for this turn: whoever asks later may know of a change that the command on its way has not seen. */
  #announce(organizationId: string, reply: Promise<RecordReply | null>): void {
    if (this.#arriving.size === 0) queueMicrotask(() => this.#arriving.clear());
    this.#arriving.set(
      organizationId,
      reply.then((recorded) => recorded?.[5] ?? null),
    );
  }
}

type RecordReply = [
  accepted: number,
  count: number,
  oldestAt: number,
  blockingAt: number,
  now: number,
  generation: string | null,
];

function toState([accepted, count, oldestAt, blockingAt, now]: RecordReply): WindowState {
  return { accepted: accepted === 1, count, oldestAt, blockingAt, now };
}
