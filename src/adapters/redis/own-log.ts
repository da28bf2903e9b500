import type { Window, WindowState } from '../../domain/model/window.js';
import { OwnEntries } from './own-entries.js';

/** A fraction of the window. A younger request is also in the window by Redis's count, however late its reply was read. */
const SURELY_INSIDE = 0.75;

/** What Redis reported about requests that other processes accepted. */
interface Others {
  readonly count: number;
  /** The age of the oldest request in the window at the time of that report. */
  readonly oldestAge: number;
  readonly at: number;
}

/** One process's knowledge of one key's window: the requests that it accepted, and the number of others that Redis last reported. */
export class OwnLog {
  readonly entries: OwnEntries;
  #others: Others = { count: 0, oldestAge: 0, at: 0 };

  constructor(firstSlot: number) {
    this.entries = new OwnEntries(firstSlot);
  }

  /** Stores Redis's report about the whole window. */
  noteReport(count: number, oldestAge: number, now: number, { lengthMs }: Window): void {
    const others = Math.max(0, count - this.entries.count(now, lengthMs));
    this.#others = { count: others, oldestAge, at: now };
  }

  /** Whether this process alone has accepted more than `count` recently, and Redis is known to have all of it. */
  knowsOfMoreThan(count: number, now: number, { lengthMs }: Window): boolean {
    return this.entries.areAllConfirmed && this.entries.count(now, lengthMs * SURELY_INSIDE) > count;
  }

  knowsOfOthers(window: Window, now: number): boolean {
    return this.#othersAt(now, window) > 0;
  }

  /** A refusal if the requests that this process has accepted fill the limit: they do, whatever Redis says. Null: there is room. */
  ownRefusal({ limit, lengthMs }: Window, now: number): WindowState | null {
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

  /** The window including the request that was just added, as far as this process knows it. */
  ownAcceptance(window: Window, now: number): WindowState {
    const { entries } = this;
    const count = entries.removeExpired(now, window.lengthMs) + this.#othersAt(now, window);
    const oldestAt = Math.min(entries.oldestShown, this.#oldestOfOthers(now, window) + entries.lead);
    return { accepted: true, count, oldestAt, blockingAt: oldestAt, now: now + entries.lead };
  }

  /** Like `ownRefusal`, but also counts the requests of others that Redis last reported. */
  refusalAlone(window: Window, now: number): WindowState | null {
    if (!this.knowsOfOthers(window, now)) return this.ownRefusal(window, now);
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

  /** The others are assumed to be spread evenly from the oldest one on: only Redis knew their times. */
  #othersAt(now: number, { lengthMs }: Window): number {
    const { count, oldestAge, at } = this.#others;
    const left = lengthMs - (now - at);
    if (count === 0 || left <= 0) return 0;
    if (oldestAge === 0) return count;
    return Math.min(count, Math.ceil((count * left) / oldestAge) - 1);
  }

  #oldestOfOthers(now: number, window: Window): number {
    if (this.#othersAt(now, window) === 0) return now;
    return Math.max(this.#others.at - this.#others.oldestAge, now - window.lengthMs + 1);
  }
}
