import type { Window, WindowState } from '../../domain/model/window.js';
import { OwnEntries } from './own-entries.js';

/** A fraction of the window. Redis also counts a younger request in the window, however late its reply was read. */
const INSIDE_FRACTION = 0.75;

/** What Redis reported about requests that other processes accepted. */
interface Others {
  readonly count: number;
  /** The age of the oldest request in the window at the time of that report. */
  readonly oldestAge: number;
  readonly at: number;
}

/** The window of a key in one process: the requests that it accepted, and the number of others that Redis last reported. */
export class OwnLog {
  readonly entries: OwnEntries;
  #others: Others = { count: 0, oldestAge: 0, at: 0 };

  constructor(firstSlot: number) {
    this.entries = new OwnEntries(firstSlot);
  }

  /** Stores Redis's report about the whole window. */
  setReport(count: number, oldestAge: number, now: number, { lengthMs }: Window): void {
    const others = Math.max(0, count - this.entries.count(now, lengthMs));
    this.#others = { count: others, oldestAge, at: now };
  }

  /** Whether this process has accepted more than `count` requests recently, and Redis has confirmed all of them. */
  hasConfirmedMoreThan(count: number, now: number, { lengthMs }: Window): boolean {
    return this.entries.areAllConfirmed && this.entries.count(now, lengthMs * INSIDE_FRACTION) > count;
  }

  hasOthers(window: Window, now: number): boolean {
    return this.#othersAt(now, window) > 0;
  }

  /** A refusal if the requests that this process accepted already reach the limit, regardless of those in Redis. Otherwise null. */
  refusalByOwnEntries({ limit, lengthMs }: Window, now: number): WindowState | null {
    const count = this.entries.removeExpired(now, lengthMs);
    if (count < limit) return null;
    const blocking = this.entries.fromLast(limit);
    return {
      accepted: false,
      count,
      oldestAt: this.entries.oldestShown,
      blockingAt: blocking.shown,
      // In the time of the clock that marked the blocking entry, so that the wait is the same as by this process's own clock.
      now: now + blocking.shown - blocking.time,
    };
  }

  /** The window with the request that was just added, from the entries of this process and the last report of Redis. */
  acceptance(window: Window, now: number): WindowState {
    const { entries } = this;
    const count = entries.removeExpired(now, window.lengthMs) + this.#othersAt(now, window);
    const oldestAt = Math.min(entries.oldestShown, this.#oldestOfOthers(now, window) + entries.lead);
    return { accepted: true, count, oldestAt, blockingAt: oldestAt, now: now + entries.lead };
  }

  /** Like `refusalByOwnEntries`, but also counts the requests of others that Redis last reported. */
  refusalWithoutRedis(window: Window, now: number): WindowState | null {
    if (!this.hasOthers(window, now)) return this.refusalByOwnEntries(window, now);
    const { entries } = this;
    entries.removeExpired(now, window.lengthMs);
    const countAt = (time: number) => entries.count(time, window.lengthMs) + this.#othersAt(time, window);
    if (countAt(now) < window.limit) return null;
    let [full, free] = [now, now + window.lengthMs];
    while (free - full > 1) {
      const between = Math.floor((full + free) / 2);
      if (countAt(between) < window.limit) free = between;
      else full = between;
    }
    const oldest = Math.min(entries.oldestTime ?? now, this.#oldestOfOthers(now, window));
    const blockingAt = free - window.lengthMs + entries.lead;
    return {
      accepted: false,
      count: countAt(now),
      oldestAt: oldest + entries.lead,
      blockingAt,
      now: now + entries.lead,
    };
  }

  isIdle(now: number, window: Window): boolean {
    return this.entries.removeExpired(now, window.lengthMs) === 0 && this.#othersAt(now, window) === 0;
  }

  /** Assumes that the others are spread evenly from the oldest one on: only Redis has their times. */
  #othersAt(now: number, { lengthMs }: Window): number {
    const { count, oldestAge, at } = this.#others;
    const remainingMs = lengthMs - (now - at);
    if (count === 0 || remainingMs <= 0) return 0;
    if (oldestAge === 0) return count;
    return Math.min(count, Math.ceil((count * remainingMs) / oldestAge) - 1);
  }

  #oldestOfOthers(now: number, window: Window): number {
    if (this.#othersAt(now, window) === 0) return now;
    return Math.max(this.#others.at - this.#others.oldestAge, now - window.lengthMs + 1);
  }
}
