import type { RedisClient } from './connect-redis.js';
import { MARKS_PER_MS } from './own-entries.js';
import { RedisScript } from './redis-script.js';

/** A command that Redis starts later than this has no caller any more. */
export const LATE_MS = 1_000;

/**
 * `recordRequest` of the sliding-window policy by Redis's clock, for one request after the other. A LIST has a third of the size of a
 * sorted set. Its entries are marks: milliseconds, and three digits that distinguish requests of the same millisecond (Redis's own marks
 * are even). Entries outside the window are only removed by an accepted request, so that a refused one writes nothing. The reply includes
 * the generation, which an admitted request needs next.
 *
 * `replayed` are marks of requests that the sender accepted while Redis was unavailable, or that Redis may have lost. Missing ones are added
 * before anything is counted, however often they are replayed. Entries older than them are not touched: a log may be long, and all of Redis
 * waits meanwhile. A command that was stuck in a frozen server is too late and does nothing: its sender has decided without it. A limit of 0
 * records nothing and returns the state of the window. A failure under one name, for example if another program stores something there, is
 * the reply to that request only.
 */
const RECORD = new RedisScript(`
  local time = redis.call('TIME')
  local clock = time[1] * 1000 + math.floor(time[2] / 1000)

  local function at(mark)
    return mark and math.floor(mark / 1000)
  end

  local function placeOf(log, mark)
    local low, high = 0, redis.call('LLEN', log)
    while low < high do
      local middle = math.floor((low + high) / 2)
      if tonumber(redis.call('LINDEX', log, middle)) < mark then low = middle + 1 else high = middle end
    end
    return low
  end

  local function missingOf(log, replayed, length)
    local marks, present, missing = {}, {}, {}
    for text in string.gmatch(replayed, '%d+') do
      local mark = tonumber(text)
      if math.abs(clock - at(mark)) < length then table.insert(marks, mark) end
    end
    if #marks == 0 then return missing end
    table.sort(marks)
    local from, to = placeOf(log, marks[1]), placeOf(log, marks[#marks] + 1)
    for _, mark in ipairs(to > from and redis.call('LRANGE', log, from, to - 1) or {}) do
      present[tonumber(mark)] = true
    end
    for _, mark in ipairs(marks) do
      if not present[mark] then table.insert(missing, mark) end
      present[mark] = true
    end
    return missing, from
  end

  local function add(log, replayed, length)
    local missing, from = missingOf(log, replayed, length)
    if #missing == 0 then return end
    local after, marks, n = redis.call('LRANGE', log, from, -1), {}, 1
    for _, mark in ipairs(after) do
      while missing[n] and missing[n] < tonumber(mark) do
        table.insert(marks, missing[n])
        n = n + 1
      end
      table.insert(marks, mark)
    end
    for rest = n, #missing do table.insert(marks, missing[rest]) end
    if from == 0 then redis.call('DEL', log) else redis.call('LTRIM', log, 0, from - 1) end
    for first = 1, #marks, 1000 do
      redis.call('RPUSH', log, unpack(marks, first, math.min(first + 999, #marks)))
    end
    redis.call('PEXPIRE', log, at(tonumber(marks[#marks])) - clock + length)
  end

  local function record(log, generation, limit, length, sentAt, replayed)
    local shown = redis.call('GET', generation)
    if sentAt > 0 and clock - sentAt > ${LATE_MS} then return {-1, 0, 0, 0, shown, 0} end

    local newest = tonumber(redis.call('LINDEX', log, -1))
    local isAhead = newest and at(newest) - clock >= length
    if isAhead then redis.call('DEL', log) end
    if replayed ~= '' then add(log, replayed, length) end
    if isAhead or replayed ~= '' then newest = tonumber(redis.call('LINDEX', log, -1)) end
    local now = math.max(clock, at(newest) or clock)

    local gone = 0
    local oldest = tonumber(redis.call('LINDEX', log, 0))
    if oldest and now - at(oldest) >= length then
      gone = placeOf(log, (now - length + 1) * 1000)
      oldest = tonumber(redis.call('LINDEX', log, gone))
    end
    local count = redis.call('LLEN', log) - gone

    if count < limit then
      if gone > 0 then redis.call('LTRIM', log, gone, -1) end
      local mark = math.max(now * 1000, math.floor((newest or 0) / 2) * 2 + 2)
      redis.call('RPUSH', log, mark)
      redis.call('PEXPIRE', log, now - clock + length)
      local age = clock - (at(oldest) or now)
      return {1, count + 1, age, age, shown, mark - clock * 1000}
    end
    local blocking = tonumber(redis.call('LINDEX', log, gone + count - limit))
    return {0, count, clock - (at(oldest) or now), clock - (at(blocking) or now), shown, 0}
  end

  local replies = {clock}
  for n, call in ipairs(ARGV) do
    local limit, length, sentAt, replayed = string.match(call, '(%S+) (%S+) (%S+) (.*)')
    local done, reply =
      pcall(record, KEYS[2 * n - 1], KEYS[2 * n], tonumber(limit), tonumber(length), tonumber(sentAt), replayed)
    -- Before Redis 7, what is thrown is a text.
    replies[n + 1] = (done or type(reply) == 'table') and reply or {err = tostring(reply)}
  end
  return replies
`);

export type RecordReply = [
  accepted: -1 | 0 | 1,
  count: number,
  oldestAt: number,
  blockingAt: number,
  now: number,
  generation: string | null,
  mark: number,
];

export interface RecordNames {
  readonly log: string;
  readonly generation: string;
}

export interface RecordParameters {
  readonly names: RecordNames;
  readonly limit: number;
  readonly lengthMs: number;
  /** By Redis's clock; 0 while its time is unknown. */
  readonly sentAt: number;
  readonly replayed: readonly number[];
}

/** As sent over the network, in short numbers: the client's parser reads them digit by digit. */
type ShortReply = [
  accepted: RecordReply[0],
  count: number,
  oldestAge: number,
  blockingAge: number,
  generation: string | null,
  markPastNow: number,
];

/** Replies are in the order of the requests; an error where Redis refused one. In a cluster, all names have to be in one slot. */
export async function runRecord(
  redis: RedisClient,
  calls: readonly RecordParameters[],
): Promise<readonly (RecordReply | Error)[]> {
  const names = calls.flatMap(({ names: { log, generation } }) => [log, generation]);
  const args = calls.map(
    ({ limit, lengthMs, sentAt, replayed }) => `${limit} ${lengthMs} ${sentAt} ${replayed.join()}`,
  );
  const [now, ...replies] = (await RECORD.run(redis, names, args)) as [number, ...(ShortReply | Error)[]];
  return replies.map((reply) => {
    if (reply instanceof Error) return reply;
    const [accepted, count, oldestAge, blockingAge, generation, markPastNow] = reply;
    return [
      accepted,
      count,
      now - oldestAge,
      now - blockingAge,
      now,
      generation,
      markPastNow + now * MARKS_PER_MS,
    ];
  });
}
