import type { Window, WindowState } from '../../domain/model/window.js';
import { OwnEntries } from './own-entries.js';

/** Of a window. What is younger is inside by Redis's count too, however late its answer was read. */
const SURELY_INSIDE = 0.75;

/** What Redis told of the requests that others have accepted. */
interface Others {
  readonly count: number;
  /** Of the oldest request in the window when this was told. */
  readonly oldestAge: number;
  readonly at: number;
}

/** What one process knows of one key's window: what it accepted itself, and how much there was of others when Redis last told. */
export class OwnLog {
  readonly entries: OwnEntries;
  #others: Others = { count: 0, oldestAge: 0, at: 0 };

  constructor(firstSlot: number) {
    this.entries = new OwnEntries(firstSlot);
  }

  /** Keeps what Redis said of the whole window. */
  hear(count: number, oldestAge: number, now: number, { lengthMs }: Window): void {
    const others = Math.max(0, count - this.entries.count(now, lengthMs));
    this.#others = { count: others, oldestAge, at: now };
  }

  /** Whether this process alone accepted more than `count` of late, and Redis was told all of it. */
  knowsOfMoreThan(count: number, now: number, { lengthMs }: Window): boolean {
    return this.entries.areAllKnown && this.entries.count(now, lengthMs * SURELY_INSIDE) > count;
  }

  knowsOfOthers(window: Window, now: number): boolean {
    return this.#othersAt(now, window) > 0;
  }

  /** What this process accepted itself leaves no room: so it is, whatever Redis says. Null: there is room. */
  ownRefusal({ limit, lengthMs }: Window, now: number): WindowState | null {
    const count = this.entries.forget(now, lengthMs);
    if (count < limit) return null;
    const blocking = this.entries.fromLast(limit);
    return {
      accepted: false,
      count,
      oldestAt: this.entries.oldestShown,
      blockingAt: blocking.shown,
      // By the clock that marked what blocks, so that the wait is the one of this process's own clock.
      now: now + blocking.shown - blocking.time,
    };
  }

  /** The window with a request that was just appended, as far as this process knows it. */
  ownAcceptance(window: Window, now: number): WindowState {
    const { entries } = this;
    const count = entries.forget(now, window.lengthMs) + this.#othersAt(now, window);
    const oldestAt = Math.min(entries.oldestShown, this.#oldestOfOthers(now, window) + entries.lead);
    return { accepted: true, count, oldestAt, blockingAt: oldestAt, now: now + entries.lead };
  }

  /** As `ownRefusal`, and counts what others had accepted when Redis last told. */
  refusalAlone(window: Window, now: number): WindowState | null {
    if (!this.knowsOfOthers(window, now)) return this.ownRefusal(window, now);
    const { entries } = this;
    entries.forget(now, window.lengthMs);
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
    return this.entries.forget(now, window.lengthMs) === 0 && this.#othersAt(now, window) === 0;
  }

  /** They are taken to have come evenly, from the oldest on: only Redis knew their times. */
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
