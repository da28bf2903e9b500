import type { Window, WindowState } from '../../domain/model/window.js';

/** Marks of Redis: its time in milliseconds, and a number from 0 to 999 that tells apart what came in the same one. */
export const MARKS_PER_MS = 1000;
/** Further apart than this, Redis's clock was set: a mark made before says nothing about the age of what it marks. */
const CLOCK_WAS_SET_MS = 1_000;
/** Of a window. What is younger is inside by Redis's count too, however late its answer was read. */
const SURELY_INSIDE = 0.75;
const IN_DOUBT = 0;

/** What Redis told of the requests that others have accepted. */
interface Others {
  readonly count: number;
  /** Of the oldest request in the window when this was told. */
  readonly oldestAge: number;
  readonly at: number;
}

/**
 * What one process knows of one key's window: what it accepted itself, by its own monotonic clock, and how much there was of others
 * when Redis last told. Each entry has the mark that names it in Redis: positive where Redis has it, negative where Redis has yet to
 * be told, 0 while nobody knows whether Redis took it. An entry keeps its number for as long as it is in the window.
 */
export class OwnLog {
  readonly #times: number[] = [];
  readonly #marks: number[] = [];
  #firstInside = 0;
  #cutOff = 0;
  #untold = 0;
  #inDoubt = 0;
  #others: Others = { count: 0, oldestAge: 0, at: 0 };
  #nextSlot: number;
  #clockLead: number | null = null;

  /** Redis makes even marks, processes odd ones; two that begin far apart hardly ever make the same. */
  constructor(firstSlot: number) {
    this.#nextSlot = firstSlot | 1;
  }

  /** By how much Redis's clock is ahead of the process's own; null before Redis said anything about this key. */
  get clockLead(): number | null {
    return this.#clockLead;
  }

  set clockLead(lead: number | null) {
    const isFirst = this.#clockLead === null;
    this.#clockLead = lead;
    if (isFirst) this.tellAllAnew();
  }

  /** Appends what was accepted now. Without a mark of Redis, it is in doubt until `settle` or `tellLater`. */
  accept(now: number, mark: number = IN_DOUBT): number {
    if (mark === IN_DOUBT) this.#inDoubt++;
    this.#times.push(now);
    this.#marks.push(mark);
    return this.#cutOff + this.#times.length - 1;
  }

  /** Redis has it after all, under this mark. */
  settle(entry: number, mark: number): void {
    this.#setMark(entry, mark);
  }

  /** Redis does not have it, or nobody will ever know: it is told again. */
  tellLater(entry: number): void {
    this.#setMark(entry, -this.#newMark(this.#timeOf(entry)));
  }

  /** Redis may have forgotten everything: each entry is told again, under the mark that it has. */
  tellAllAgain(): void {
    for (let at = this.#firstInside; at < this.#marks.length; at++) {
      if ((this.#marks[at] ?? 0) > 0) this.#setMark(this.#cutOff + at, -(this.#marks[at] ?? 0));
    }
  }

  /** The same where Redis's clock was set: whoever counts by it now has to see each entry at its true age. */
  tellAllAnew(): void {
    this.tellAllAgain();
    for (let at = this.#firstInside; at < this.#marks.length; at++) {
      const time = this.#times[at] ?? 0;
      const marked = -(this.#marks[at] ?? 0) / MARKS_PER_MS;
      if (marked > 0 && Math.abs(time + this.#lead - marked) > CLOCK_WAS_SET_MS) {
        this.#marks[at] = -this.#newMark(time);
      }
    }
  }

  /** The oldest of what Redis has to be told, by mark and number: nothing before it is known what its clock shows. */
  untold(atMost: number): { readonly marks: readonly number[]; readonly entries: readonly number[] } {
    const marks: number[] = [];
    const entries: number[] = [];
    if (this.#untold === 0 || this.#clockLead === null) return { marks, entries };
    for (let at = this.#firstInside; at < this.#marks.length && marks.length < atMost; at++) {
      const mark = this.#marks[at] ?? 0;
      if (mark >= 0) continue;
      marks.push(-mark);
      entries.push(this.#cutOff + at);
    }
    return { marks, entries };
  }

  told(entries: readonly number[], marks: readonly number[]): void {
    entries.forEach((entry, n) => {
      if (this.#markOf(entry) === -(marks[n] ?? 0)) this.#setMark(entry, marks[n] ?? 0);
    });
  }

  /** Keeps what Redis said of the whole window. */
  hear(count: number, oldestAge: number, now: number, { lengthMs }: Window): void {
    const others = Math.max(0, count - this.#count(now, lengthMs));
    this.#others = { count: others, oldestAge, at: now };
  }

  /** Whether this process alone accepted more than `count` of late, and Redis was told all of it. */
  knowsOfMoreThan(count: number, now: number, { lengthMs }: Window): boolean {
    if (this.#untold > 0 || this.#inDoubt > 0) return false;
    return this.#count(now, lengthMs * SURELY_INSIDE) > count;
  }

  knowsOfOthers(window: Window, now: number): boolean {
    return this.#othersAt(now, window) > 0;
  }

  /** What this process accepted itself leaves no room: so it is, whatever Redis says. Null: there is room. */
  ownRefusal(window: Window, now: number): WindowState | null {
    const count = this.#forget(now, window);
    if (count < window.limit) return null;
    const blocking = this.#times.length - window.limit;
    const blockingAt = this.#shownAt(blocking);
    // By the clock that marked what blocks, so that the wait is the one of this process's own clock.
    const shownNow = now + blockingAt - (this.#times[blocking] ?? 0);
    return {
      accepted: false,
      count,
      oldestAt: this.#shownAt(this.#firstInside),
      blockingAt,
      now: shownNow,
    };
  }

  /** The window with a request that was just appended, as far as this process knows it. */
  ownAcceptance(window: Window, now: number): WindowState {
    const count = this.#forget(now, window) + this.#othersAt(now, window);
    const lead = this.#lead;
    const oldestAt = Math.min(this.#shownAt(this.#firstInside), this.#oldestOfOthers(now, window) + lead);
    return { accepted: true, count, oldestAt, blockingAt: oldestAt, now: now + lead };
  }

  /** As `ownRefusal`, and counts what others had accepted when Redis last told. */
  refusalAlone(window: Window, now: number): WindowState | null {
    if (!this.knowsOfOthers(window, now)) return this.ownRefusal(window, now);
    this.#forget(now, window);
    const countAt = (time: number) => this.#count(time, window.lengthMs) + this.#othersAt(time, window);
    if (countAt(now) < window.limit) return null;
    let [full, free] = [now, now + window.lengthMs];
    while (free - full > 1) {
      const between = Math.floor((full + free) / 2);
      if (countAt(between) < window.limit) free = between;
      else full = between;
    }
    const lead = this.#lead;
    const oldest = Math.min(this.#times[this.#firstInside] ?? now, this.#oldestOfOthers(now, window));
    const blockingAt = free - window.lengthMs + lead;
    return { accepted: false, count: countAt(now), oldestAt: oldest + lead, blockingAt, now: now + lead };
  }

  get hasUntold(): boolean {
    return this.#untold > 0;
  }

  isIdle(now: number, window: Window): boolean {
    return this.#forget(now, window) === 0 && this.#othersAt(now, window) === 0;
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

  /** As a request log counts: what came `lengthMs` ago is out. */
  #count(now: number, lengthMs: number): number {
    let [low, high] = [this.#firstInside, this.#times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (now - (this.#times[middle] ?? 0) >= lengthMs) low = middle + 1;
      else high = middle;
    }
    return this.#times.length - low;
  }

  /** Answers how many are left. Cuts off in one piece what is out, so that a long log is not moved for each request. */
  #forget(now: number, { lengthMs }: Window): number {
    const inside = this.#count(now, lengthMs);
    while (this.#times.length - this.#firstInside > inside) {
      const mark = this.#marks[this.#firstInside++] ?? 0;
      if (mark < 0) this.#untold--;
      if (mark === IN_DOUBT) this.#inDoubt--;
    }
    if (this.#firstInside > 64 && this.#firstInside * 2 > this.#times.length) {
      this.#times.splice(0, this.#firstInside);
      this.#marks.splice(0, this.#firstInside);
      this.#cutOff += this.#firstInside;
      this.#firstInside = 0;
    }
    return inside;
  }

  #setMark(entry: number, mark: number): void {
    const at = entry - this.#cutOff;
    if (at < this.#firstInside) return;
    const before = this.#marks[at] ?? 0;
    if (before === IN_DOUBT) this.#inDoubt--;
    if (before < 0) this.#untold--;
    if (mark < 0) this.#untold++;
    this.#marks[at] = mark;
  }

  #newMark(time: number): number {
    this.#nextSlot = (this.#nextSlot + 2) % MARKS_PER_MS;
    return (time + this.#lead) * MARKS_PER_MS + this.#nextSlot;
  }

  get #lead(): number {
    return this.#clockLead ?? 0;
  }

  #timeOf(entry: number): number {
    return this.#times[entry - this.#cutOff] ?? 0;
  }

  #markOf(entry: number): number {
    return this.#marks[entry - this.#cutOff] ?? 0;
  }

  /** In Redis's time, as callers are shown it. */
  #shownAt(at: number): number {
    const mark = this.#marks[at] ?? IN_DOUBT;
    if (mark === IN_DOUBT) return (this.#times[at] ?? 0) + this.#lead;
    return Math.floor(Math.abs(mark) / MARKS_PER_MS);
  }
}
