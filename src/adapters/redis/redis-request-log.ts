import type { ApiKey } from '../../domain/model/api-key.js';
import type { Window, WindowState } from '../../domain/model/window.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import type { RequestLog } from '../../domain/ports/request-log.js';
import { generationName, requestLogName } from './key-names.js';
import type { KnownWindow } from './known-window.js';
import { MARKS_PER_MS } from './own-entries.js';
import { OwnLog } from './own-log.js';
import { RecordBatcher } from './record-batcher.js';
import type { RecordCall } from './record-call.js';
import type { RecordReply } from './record-script.js';
import type { RedisBreaker } from './redis-breaker.js';
import { RequestReplay } from './request-replay.js';

/**
 * One log in Redis for all processes. Each process also keeps its own log of each key: it never accepts more than the limit in a window,
 * regardless of Redis, continues from its own log while Redis is unavailable, and replays it to Redis afterwards.
 */
export class RedisRequestLog implements RequestLog {
  readonly #known = new Map<string, KnownWindow>();
  readonly #batcher: RecordBatcher;
  readonly #replay: RequestReplay;
  #arriving = new Map<string, RecordCall>();
  #nextSweepAt = 0;

  /** `clock` must be one that cannot be set. */
  constructor(
    private readonly breaker: Pick<RedisBreaker, 'run' | 'onConnect' | 'isOpenFor' | 'slotOf'>,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    private readonly firstSlot = Math.floor(Math.random() * MARKS_PER_MS),
  ) {
    // A later question may depend on a change that the command in progress has not seen.
    this.#batcher = new RecordBatcher(breaker, clock, () => {
      // Replaced instead of cleared, because `clear` would make its content grow old: see ADR 21.
      this.#arriving = new Map();
    });
    this.#replay = new RequestReplay(breaker, this.#batcher, clock, this.#known);
  }

  async record(key: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): Promise<WindowState> {
    const known = this.#knownOf(key, window);
    const now = this.clock.now();
    const full = known.own.refusalByOwnEntries(window, now);
    // If the window also has requests of others, Redis knows how long the wait is.
    if (full !== null && !known.own.hasOthers(window, now)) return full;

    const call = this.#batcher.add(known, window.limit);
    this.#arriving.set(key.organizationId, call);
    const reply = await call.reply;
    return reply === null ? this.#judgeWithoutRedis(known, call) : this.#judge(known, reply);
  }

  /** The organization's published generation in Redis, if a command that is sent in this turn will return it; otherwise null. */
  arrivingGeneration(organizationId: string): Promise<string | null> | null {
    return this.#arriving.get(organizationId)?.reply.then((reply) => reply?.[5] ?? null) ?? null;
  }

  #judge(known: KnownWindow, reply: RecordReply): WindowState {
    const { own, window } = known;
    const [accepted, count, oldestAt, blockingAt, shownNow, , mark] = reply;
    const now = this.clock.now();
    const full = own.refusalByOwnEntries(window, now);
    if (full !== null) {
      if (accepted === 1) this.#takeBack(known, mark);
      if (accepted === 1 || full.blockingAt - full.now >= blockingAt - shownNow) return full;
    } else if (accepted === 1) {
      own.entries.append(now, mark);
    }
    own.setReport(count, shownNow - oldestAt, now, window);
    if (own.entries.hasEntriesToReplay) void this.#replay.replay(known);
    if (own.hasConfirmedMoreThan(count, now, window)) {
      this.#replay.repair(known, now);
      if (accepted === 1) return own.acceptance(window, now);
    }
    return { accepted: accepted === 1, count, oldestAt, blockingAt, now: shownNow };
  }

  #judgeWithoutRedis(known: KnownWindow, call: RecordCall): WindowState {
    this.metrics.count('limited-without-redis');
    const { own, window } = known;
    const now = this.clock.now();
    const refusal = own.refusalWithoutRedis(window, now);
    const entry = refusal === null ? own.entries.append(now) : null;
    const pendingReply = call.eventualReply();
    if (pendingReply !== null) void pendingReply.then((reply) => this.#settle(known, entry, reply));
    else if (entry !== null) own.entries.replayLater(entry);
    return refusal ?? own.acceptance(window, now);
  }

  /** Handles the late reply of Redis, or its absence (null), for a request that this process has decided alone. */
  #settle(known: KnownWindow, entry: number | null, reply: RecordReply | null): void {
    const { entries } = known.own;
    const mark = reply?.[0] === 1 ? reply[6] : null;
    if (entry === null) {
      if (mark !== null) this.#takeBack(known, mark);
    } else if (mark === null) {
      entries.replayLater(entry);
    } else {
      entries.settle(entry, mark);
    }
    void this.#replay.replay(known);
  }

  /** The caller was refused, and refused requests do not count. */
  #takeBack({ names }: KnownWindow, mark: number): void {
    void this.breaker.run<unknown>(
      (redis) => redis.lrem(names.log, -1, mark),
      () => null,
      names.log,
    );
  }

  #knownOf({ id, organizationId }: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): KnownWindow {
    const now = this.clock.now();
    this.#removeIdleKeys(window, now);
    const log = requestLogName(organizationId, id);
    let known = this.#known.get(log);
    if (known === undefined) {
      const names = { log, generation: generationName(organizationId) };
      const slot = this.breaker.slotOf(log);
      known = { names, slot, own: new OwnLog(this.firstSlot), window, repairedAt: 0, isReplaying: false };
      this.#known.set(log, known);
    }
    known.window = window;
    return known;
  }

  /** Runs once per window, because it visits every key. */
  #removeIdleKeys({ lengthMs }: Window, now: number): void {
    if (now < this.#nextSweepAt) return;
    this.#nextSweepAt = now + lengthMs;
    for (const [name, { own, window }] of this.#known) {
      if (own.isIdle(now, window)) this.#known.delete(name);
    }
  }
}
