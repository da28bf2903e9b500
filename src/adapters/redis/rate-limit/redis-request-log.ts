import { hash } from 'node:crypto';
import type { ApiKey } from '../../../domain/model/api-key.js';
import type { Window, WindowState } from '../../../domain/model/window.js';
import type { RequestLog } from '../../../domain/ports/answering/request-log.js';
import type { Metrics } from '../../../domain/ports/system/metrics.js';
import type { RedisClient } from '../connection/connect-redis.js';
import { probeName, requestLogName } from '../connection/key-names.js';
import type { RedisBreaker, RedisPurpose } from '../connection/redis-breaker.js';

/**
 * `recordRequest` by Redis's clock. A LIST of times takes a third of a sorted set. Only an accepted
 * request removes entries, so a refused one writes nothing. A failure under one name is the reply
 * to that request only.
 */
const RECORD = `
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

  local function record(log, limit, length)
    local newest = tonumber(redis.call('LINDEX', log, -1))
    if newest and newest - clock >= length then
      redis.call('LTRIM', log, 1, 0)
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
      return {1, count + 1, age, age}
    end
    local blocking = tonumber(redis.call('LINDEX', log, gone + count - limit))
    return {0, count, clock - (oldest or now), clock - (blocking or now)}
  end

  local replies = {clock}
  for n = 1, #KEYS do
    local done, reply = pcall(record, KEYS[n], tonumber(ARGV[2 * n - 1]), tonumber(ARGV[2 * n]))
    -- Before Redis 7, what is thrown is a text.
    replies[n + 1] = (done or type(reply) == 'table') and reply or {err = tostring(reply)}
  end
  return replies
`;
const RECORD_SHA = hash('sha1', RECORD);

export const LIMITS: RedisPurpose = {
  commandTimeoutMs: 100,
  opened: 'Redis is unavailable: each process works without it',
  closed: 'Redis is available again',
  // The second window is empty, so the first entry is removed: together they use each command.
  probe: async (redis, name) => {
    const log = probeName(name, 'requests');
    const windows = [1_000, 0].map((lengthMs) => ({ limit: Number.MAX_SAFE_INTEGER, lengthMs }));
    const calls = windows.map((window) => ({ log, window }));
    const replies = await runRecord(redis, calls).catch((error: Error) => {
      // While a slot moves, its master still answers for the other slots.
      if (error.message.startsWith('Too many Cluster redirections')) return [];
      throw error;
    });
    for (const reply of replies) if (reply instanceof Error) throw reply;
  },
};

/** So that one command does not block Redis noticeably. */
const CALLS_PER_COMMAND = 1_000;

export interface RecordedCall {
  readonly log: string;
  readonly window: Window;
}

interface WaitingCall extends RecordedCall {
  readonly resolve: (state: WindowState | null | Promise<null>) => void;
}

/** The calls of a turn of the event loop are one command. */
export class RedisRequestLog implements RequestLog {
  readonly recordsWithinMs = LIMITS.commandTimeoutMs;
  #calls: WaitingCall[] = [];

  constructor(
    private readonly breaker: Pick<RedisBreaker, 'attempt' | 'slotOf'>,
    private readonly metrics: Metrics,
  ) {}

  async record({ id, organizationId }: Pick<ApiKey, 'id' | 'organizationId'>, window: Window) {
    const state = await this.#callRedis({ log: requestLogName(organizationId, id), window });
    if (state === null) this.metrics.count('limited-without-redis');
    return state;
  }

  /** Null: Redis did not answer in time, refused, or is unavailable. */
  #callRedis(call: RecordedCall): Promise<WindowState | null> {
    if (this.#calls.length === 0) setImmediate(() => this.#endTurn());
    return new Promise((resolve) => {
      this.#calls.push({ ...call, resolve });
    });
  }

  #endTurn(): void {
    const calls = this.#calls;
    this.#calls = [];
    const batches = new Map<number, WaitingCall[]>();
    for (const call of calls) {
      const slot = this.breaker.slotOf(call.log);
      const batch = batches.get(slot) ?? [];
      batches.set(slot, batch);
      if (batch.push(call) < CALLS_PER_COMMAND) continue;
      batches.delete(slot);
      void this.#send(batch);
    }
    for (const batch of batches.values()) void this.#send(batch);
  }

  /** If the command fails, each call falls back separately. */
  async #send(calls: readonly WaitingCall[]): Promise<void> {
    const [first] = calls;
    if (first === undefined) return;
    const replies = await this.breaker.attempt(first.log, (redis) => runRecord(redis, calls));
    calls.forEach(({ log, resolve }, index) => {
      const reply = replies?.[index] ?? null;
      // A refusal counts as if the call had been sent alone.
      if (reply instanceof Error) resolve(this.breaker.attempt(log, () => Promise.reject(reply)));
      else resolve(reply);
    });
  }
}

/** As sent over the network, in short numbers: the client's parser reads them digit by digit. */
type ShortReply = [accepted: 0 | 1, count: number, oldestAge: number, blockingAge: number];

/** Replies in the order of the calls, or errors; all names are in one slot. */
export async function runRecord(
  redis: RedisClient,
  calls: readonly RecordedCall[],
): Promise<readonly (WindowState | Error)[]> {
  const names = calls.map(({ log }) => log);
  const args = calls.flatMap(({ window }) => [window.limit, window.lengthMs]);
  const [now, ...replies] = (await evaluate(redis, names, args)) as [number, ...(ShortReply | Error)[]];
  return replies.map((reply) => {
    if (reply instanceof Error) return reply;
    const [accepted, count, oldestAge, blockingAge] = reply;
    return {
      accepted: accepted === 1,
      count,
      oldestAt: now - oldestAge,
      blockingAt: now - blockingAge,
      now,
    };
  });
}

/** ioredis has these methods for every command; its types lack them for scripts. */
interface ForBytes {
  evalshaBuffer(sha: string, keys: number, ...rest: readonly (string | number)[]): Promise<unknown>;
  evalBuffer(text: string, keys: number, ...rest: readonly (string | number)[]): Promise<unknown>;
}

/** Sent as its SHA-1, and as its text if the server does not know that. Replies with bytes. */
async function evaluate(
  redis: RedisClient,
  names: readonly string[],
  args: readonly number[],
): Promise<unknown> {
  const forBytes = redis as RedisClient & ForBytes;
  try {
    return await forBytes.evalshaBuffer(RECORD_SHA, names.length, ...names, ...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return forBytes.evalBuffer(RECORD, names.length, ...names, ...args);
  }
}
