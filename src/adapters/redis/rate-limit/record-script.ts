import type { Window, WindowState } from '../../../domain/model/window.js';
import type { RedisClient } from '../connection/connect-redis.js';
import { RedisScript } from '../connection/redis-script.js';

/**
 * `recordRequest` by Redis's clock. A LIST of times takes a third of a sorted set. Only an accepted
 * request removes entries, so a refused one writes nothing. The reply has the generation, which
 * comes next. A failure under one name is the reply to that request only.
 */
const RECORD = new RedisScript(`
  local time = redis.call('TIME')
  local clock = time[1] * 1000 + math.floor(time[2] / 1000)

  local function countUntil(log, time)
    local low, high = 0, redis.call('LLEN', log)
    while low < high do
      local middle = math.floor((low + high) / 2)
      if tonumber(redis.call('LINDEX', log, middle)) <= time then low = middle + 1 else high = middle end
    end
    return low
  end

  local function record(log, generation, limit, length)
    local shown = redis.call('GET', generation)
    local newest = tonumber(redis.call('LINDEX', log, -1))
    if newest and newest - clock >= length then
      redis.call('DEL', log)
      newest = nil
    end
    local now = math.max(clock, newest or clock)

    local gone = 0
    local oldest = tonumber(redis.call('LINDEX', log, 0))
    if oldest and now - oldest >= length then
      gone = countUntil(log, now - length)
      oldest = tonumber(redis.call('LINDEX', log, gone))
    end
    local count = redis.call('LLEN', log) - gone

    if count < limit then
      if gone > 0 then redis.call('LTRIM', log, gone, -1) end
      redis.call('RPUSH', log, now)
      redis.call('PEXPIRE', log, now - clock + length)
      local age = clock - (oldest or now)
      return {1, count + 1, age, age, shown}
    end
    local blocking = tonumber(redis.call('LINDEX', log, gone + count - limit))
    return {0, count, clock - (oldest or now), clock - (blocking or now), shown}
  end

  local replies = {clock}
  for n = 1, #ARGV / 2 do
    local done, reply = pcall(record, KEYS[2 * n - 1], KEYS[2 * n], tonumber(ARGV[2 * n - 1]), tonumber(ARGV[2 * n]))
    -- Before Redis 7, what is thrown is a text.
    replies[n + 1] = (done or type(reply) == 'table') and reply or {err = tostring(reply)}
  end
  return replies
`);

export interface RecordedCall {
  readonly log: string;
  readonly generation: string;
  readonly window: Window;
}

export interface RecordReply {
  readonly state: WindowState;
  readonly generation: string | null;
}

/** As sent over the network, in short numbers: the client's parser reads them digit by digit. */
type ShortReply = [
  accepted: 0 | 1,
  count: number,
  oldestAge: number,
  blockingAge: number,
  generation: Buffer | null,
];

/** Replies in the order of the calls, or errors; all names are in one slot. */
export async function runRecord(
  redis: RedisClient,
  calls: readonly RecordedCall[],
): Promise<readonly (RecordReply | Error)[]> {
  const names = calls.flatMap(({ log, generation }) => [log, generation]);
  const args = calls.flatMap(({ window }) => [window.limit, window.lengthMs]);
  const [now, ...replies] = (await RECORD.run(redis, names, args)) as [number, ...(ShortReply | Error)[]];
  return replies.map((reply) => {
    if (reply instanceof Error) return reply;
    const [accepted, count, oldestAge, blockingAge, generation] = reply;
    const state = {
      accepted: accepted === 1,
      count,
      oldestAt: now - oldestAge,
      blockingAt: now - blockingAge,
      now,
    };
    return { state, generation: generation === null ? null : String(generation) };
  });
}
