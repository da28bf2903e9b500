import type { ApiKey } from '../../domain/model/api-key.js';
import type { Window, WindowState } from '../../domain/model/window.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import type { RequestLog } from '../../domain/ports/request-log.js';
import type { RedisClient } from './connect-redis.js';
import { generationName, requestLogName } from './key-names.js';
import { MARKS_PER_MS, OwnLog } from './own-log.js';
import { LATE_MS, type RecordNames, type RecordReply, runRecord } from './record-script.js';
import type { RedisGuard } from './redis-guard.js';

/** So that what one command tells Redis takes it no noticeable time. */
const TOLD_AT_ONCE = 500;
/** Of all that are told when Redis is back: requests come between. */
const KEYS_AT_ONCE = 16;

/** A key's window as this process knows it. */
interface Known {
  readonly names: RecordNames;
  readonly own: OwnLog;
  window: Window;
  mendedAt: number;
  /** One command tells at a time: those behind it would tell the same. */
  isTelling: boolean;
  telling: Promise<void> | null;
}

interface Question {
  /** Null: Redis did not answer in time, or is away. */
  readonly answer: Promise<RecordReply | null>;
  /** What Redis answers in the end to what was sent; null while nothing was. */
  underway(): Promise<RecordReply> | null;
}

/**
 * One log for all processes, in Redis. Beside it each process keeps its own of each key: it never accepts more than the limit in a
 * window, whatever Redis says, counts on from there while Redis is away, and tells Redis what it did meanwhile.
 */
export class RedisRequestLog implements RequestLog {
  readonly #known = new Map<string, Known>();
  readonly #arriving = new Map<string, Promise<string | null>>();
  #nextSweepAt = 0;
  #tellingAll: Promise<void> = Promise.resolve();

  /** `clock` is one that nobody sets. */
  constructor(
    private readonly guard: Pick<RedisGuard, 'run' | 'onConnect' | 'isAwayFor'>,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    private readonly firstSlot = Math.floor(Math.random() * MARKS_PER_MS),
  ) {
    // It may be another server, or have forgotten the last it was told.
    this.guard.onConnect(() => {
      for (const known of this.#known.values()) {
        known.own.tellAllAgain();
        known.isTelling = false;
      }
      this.#tellingAll = this.#tellingAll.then(() => this.#tellAll());
    });
  }

  async record(key: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): Promise<WindowState> {
    const known = this.#knownOf(key, window);
    const now = this.clock.now();
    const full = known.own.ownRefusal(window, now);
    // With others in the window as well, Redis knows how long the wait is.
    if (full !== null && !known.own.knowsOfOthers(window, now)) return full;

    const question = this.#ask(known, window.limit);
    this.#announce(key.organizationId, question.answer);
    const reply = await question.answer;
    return reply === null ? this.#judgeAlone(known, question) : this.#judge(known, reply);
  }

  /** What Redis shows as the organization's generation, where a command brings it that was sent in this very turn; else null. */
  arrivingGeneration(organizationId: string): Promise<string | null> | null {
    return this.#arriving.get(organizationId) ?? null;
  }

  #judge(known: Known, reply: RecordReply): WindowState {
    const { own, window } = known;
    const [accepted, count, oldestAt, blockingAt, shownNow, , mark] = reply;
    const now = this.clock.now();
    const full = own.ownRefusal(window, now);
    if (full !== null) {
      if (accepted === 1) this.#takeBack(known, mark);
      if (accepted === 1 || full.blockingAt - full.now >= blockingAt - shownNow) return full;
    } else if (accepted === 1) {
      own.accept(now, mark);
    }
    own.hear(count, shownNow - oldestAt, now, window);
    if (own.hasUntold) void this.#tell(known);
    if (own.knowsOfMoreThan(count, now, window)) {
      this.#mend(known, now);
      if (accepted === 1) return own.ownAcceptance(window, now);
    }
    return { accepted: accepted === 1, count, oldestAt, blockingAt, now: shownNow };
  }

  #judgeAlone(known: Known, question: Question): WindowState {
    this.metrics.count('limited-without-redis');
    const { own, window } = known;
    const now = this.clock.now();
    const refusal = own.refusalAlone(window, now);
    const entry = refusal === null ? own.accept(now) : null;
    const underway = question.underway();
    if (underway === null) {
      if (entry !== null) own.tellLater(entry);
    } else {
      void underway.then(
        (reply) => this.#settle(known, entry, reply),
        () => this.#settle(known, entry, null),
      );
    }
    return refusal ?? own.ownAcceptance(window, now);
  }

  /** Redis answers after all, or never will (null), a request that this process has judged alone. */
  #settle(known: Known, entry: number | null, reply: RecordReply | null): void {
    const mark = reply?.[0] === 1 ? reply[6] : null;
    if (entry === null) {
      if (mark !== null) this.#takeBack(known, mark);
    } else if (mark === null) {
      known.own.tellLater(entry);
    } else {
      known.own.settle(entry, mark);
    }
    void this.#tell(known);
  }

  /** The caller was refused, and a refusal does not count. */
  #takeBack({ names }: Known, mark: number): void {
    void this.guard.run<unknown>(
      (redis) => redis.lrem(names.log, -1, mark),
      () => null,
      names.log,
    );
  }

  /** Redis counts less than this process alone accepted: it has forgotten, or its clock was set. */
  #mend(known: Known, now: number): void {
    if (now - known.mendedAt < LATE_MS) return;
    known.mendedAt = now;
    known.own.tellAllAnew();
    void this.#tell(known);
  }

  async #tellAll(): Promise<void> {
    const all = this.#known.values();
    const some = async () => {
      for (const known of all) {
        // Of a cluster, another node may be there.
        if (!this.guard.isAwayFor(known.names.log)) await this.#tell(known);
      }
    };
    await Promise.all(Array.from({ length: KEYS_AT_ONCE }, some));
  }

  /** Until Redis has all of it, or does not listen. */
  async #tell(known: Known): Promise<void> {
    known.telling ??= this.#tellNow(known).finally(() => {
      known.telling = null;
    });
    return known.telling;
  }

  async #tellNow(known: Known): Promise<void> {
    while (known.own.hasUntold && !known.isTelling) {
      const reply = await this.#ask(known, 0).answer;
      if (reply === null) return;
      known.own.hear(reply[1], reply[4] - reply[2], this.clock.now(), known.window);
    }
  }

  /** Tells Redis what it has to be told, too. */
  #ask(known: Known, limit: number): Question {
    let underway: Promise<RecordReply> | null = null;
    let isAwaited = true;
    const answer = this.guard.run<RecordReply | null>(
      (redis) => {
        underway = this.#sendAndTell(redis, known, limit, () => isAwaited);
        return underway;
      },
      () => {
        isAwaited = false;
        return null;
      },
      known.names.log,
    );
    return { answer, underway: () => underway };
  }

  async #sendAndTell(
    redis: RedisClient,
    known: Known,
    limit: number,
    isAwaited: () => boolean,
  ): Promise<RecordReply> {
    if (known.isTelling || !known.own.hasUntold) return this.#send(redis, known, limit, [], isAwaited);
    const { entries, marks } = known.own.untold(TOLD_AT_ONCE);
    known.isTelling = true;
    try {
      const reply = await this.#send(redis, known, limit, marks, isAwaited);
      known.own.told(entries, marks);
      return reply;
    } finally {
      known.isTelling = false;
    }
  }

  async #send(
    redis: RedisClient,
    { names, own, window: { lengthMs } }: Known,
    limit: number,
    told: readonly number[],
    isAwaited: () => boolean,
  ): Promise<RecordReply> {
    let sentAt = this.clock.now();
    const question = { limit, lengthMs, sentAt: own.clockLead === null ? 0 : sentAt + own.clockLead, told };
    let reply = await runRecord(redis, names, question);
    if (reply[0] === -1) {
      if (!isAwaited()) throw new Error('Redis came to a request too late');
      // Its clock was set, or this process was too busy to send it.
      sentAt = this.clock.now();
      reply = await runRecord(redis, names, { ...question, sentAt: 0 });
    }
    // By no more than the way there took, Redis's clock is taken to be further on: so that nothing leaves a window early.
    own.clockLead = reply[4] - sentAt;
    return reply;
  }

  #knownOf({ id, organizationId }: Pick<ApiKey, 'id' | 'organizationId'>, window: Window): Known {
    const now = this.clock.now();
    this.#forgetIdleKeys(window, now);
    const log = requestLogName(organizationId, id);
    let known = this.#known.get(log);
    if (known === undefined) {
      const names = { log, generation: generationName(organizationId) };
      known = {
        names,
        own: new OwnLog(this.firstSlot),
        window,
        mendedAt: 0,
        isTelling: false,
        telling: null,
      };
      this.#known.set(log, known);
    }
    known.window = window;
    return known;
  }

  /** Once a window: a sweep looks at every key. */
  #forgetIdleKeys({ lengthMs }: Window, now: number): void {
    if (now < this.#nextSweepAt) return;
    this.#nextSweepAt = now + lengthMs;
    for (const [name, { own, window }] of this.#known) {
      if (own.isIdle(now, window)) this.#known.delete(name);
    }
  }

  /** Only for this turn: whoever asks later may know of a change that the command on its way has not seen. */
  #announce(organizationId: string, answer: Promise<RecordReply | null>): void {
    if (this.#arriving.size === 0) queueMicrotask(() => this.#arriving.clear());
    this.#arriving.set(
      organizationId,
      answer.then((reply) => reply?.[5] ?? null),
    );
  }
}
