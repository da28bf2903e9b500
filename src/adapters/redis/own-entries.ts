/** Marks have Redis's time in milliseconds, and a number from 0 to 999 that distinguishes requests of the same millisecond. */
export const MARKS_PER_MS = 1000;
/** If the difference is larger than this, Redis's clock was set. An older mark then says nothing about the age of its entry. */
const CLOCK_WAS_SET_MS = 1_000;
const IN_DOUBT = 0;

/**
 * The requests of one key that one process has accepted, oldest first, by the process's own monotonic clock. Each entry has the mark that
 * identifies it in Redis: positive if Redis has it, negative if it has to be replayed, and 0 while it is unknown whether Redis has it.
 * An entry keeps its number while it is in the window.
 */
export class OwnEntries {
  readonly #times: number[] = [];
  readonly #marks: number[] = [];
  #firstInside = 0;
  #cutOff = 0;
  #toReplay = 0;
  #inDoubt = 0;
  #nextSlot: number;
  #clockLead: number | null = null;

  /** Redis makes even marks and processes make odd ones. Processes with distant first slots hardly ever make the same mark. */
  constructor(firstSlot: number) {
    this.#nextSlot = firstSlot | 1;
  }

  /** How far Redis's clock is ahead of the process's own; null before the first reply of Redis for this key. */
  get clockLead(): number | null {
    return this.#clockLead;
  }

  set clockLead(lead: number | null) {
    const isFirst = this.#clockLead === null;
    this.#clockLead = lead;
    if (isFirst) this.replayAllWithNewMarks();
  }

  /** Returns the number of the entry. Without a mark of Redis, it is in doubt until `settle` or `replayLater`. */
  append(now: number, mark: number = IN_DOUBT): number {
    if (mark === IN_DOUBT) this.#inDoubt++;
    this.#times.push(now);
    this.#marks.push(mark);
    return this.#cutOff + this.#times.length - 1;
  }

  /** Redis has the entry, under this mark. */
  settle(entry: number, mark: number): void {
    this.#setMark(entry, mark);
  }

  /** Redis does not have the entry, or nothing will ever show whether it does: it is replayed. */
  replayLater(entry: number): void {
    this.#setMark(entry, -this.#newMark(this.#times[entry - this.#cutOff] ?? 0));
  }

  /** Redis may have lost everything: each entry is replayed under its mark. */
  replayAll(): void {
    for (let at = this.#firstInside; at < this.#marks.length; at++) {
      if ((this.#marks[at] ?? 0) > 0) this.#setMark(this.#cutOff + at, -(this.#marks[at] ?? 0));
    }
  }

  /** The same if Redis's clock was set: entries get new marks where needed, so that they have their true age by the new time. */
  replayAllWithNewMarks(): void {
    this.replayAll();
    for (let at = this.#firstInside; at < this.#marks.length; at++) {
      const time = this.#times[at] ?? 0;
      const marked = -(this.#marks[at] ?? 0) / MARKS_PER_MS;
      if (marked > 0 && Math.abs(time + this.lead - marked) > CLOCK_WAS_SET_MS) {
        this.#marks[at] = -this.#newMark(time);
      }
    }
  }

  /** The oldest entries that have to be replayed, by mark and number. Empty until the clock of Redis is known. */
  entriesToReplay(atMost: number): {
    readonly marks: readonly number[];
    readonly entries: readonly number[];
  } {
    const marks: number[] = [];
    const entries: number[] = [];
    if (this.#toReplay === 0 || this.#clockLead === null) return { marks, entries };
    for (let at = this.#firstInside; at < this.#marks.length && marks.length < atMost; at++) {
      const mark = this.#marks[at] ?? 0;
      if (mark >= 0) continue;
      marks.push(-mark);
      entries.push(this.#cutOff + at);
    }
    return { marks, entries };
  }

  confirmReplayed(entries: readonly number[], marks: readonly number[]): void {
    entries.forEach((entry, n) => {
      const mark = marks[n] ?? 0;
      if (this.#marks[entry - this.#cutOff] === -mark) this.#setMark(entry, mark);
    });
  }

  get hasEntriesToReplay(): boolean {
    return this.#toReplay > 0;
  }

  /** Whether Redis is known to have every entry. */
  get areAllConfirmed(): boolean {
    return this.#toReplay === 0 && this.#inDoubt === 0;
  }

  /** 0 while it is unknown. */
  get lead(): number {
    return this.#clockLead ?? 0;
  }

  get oldestTime(): number | null {
    return this.#times[this.#firstInside] ?? null;
  }

  /** In Redis's time, as callers see it. */
  get oldestShown(): number {
    return this.#shownAt(this.#firstInside);
  }

  /** The time of the entry that is this far from the end (1: the last one), and the same in Redis's time. */
  fromLast(entries: number): { readonly time: number; readonly shown: number } {
    const at = this.#times.length - entries;
    return { time: this.#times[at] ?? 0, shown: this.#shownAt(at) };
  }

  /** Counts like a request log: a request `lengthMs` ago is no longer in the window. */
  count(now: number, lengthMs: number): number {
    let [low, high] = [this.#firstInside, this.#times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (now - (this.#times[middle] ?? 0) >= lengthMs) low = middle + 1;
      else high = middle;
    }
    return this.#times.length - low;
  }

  /** Returns how many are left. Expired entries are cut off in blocks, so that a long log is not moved for each request. */
  removeExpired(now: number, lengthMs: number): number {
    const inside = this.count(now, lengthMs);
    while (this.#times.length - this.#firstInside > inside) {
      const mark = this.#marks[this.#firstInside++] ?? 0;
      if (mark < 0) this.#toReplay--;
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
    if (before < 0) this.#toReplay--;
    if (mark < 0) this.#toReplay++;
    this.#marks[at] = mark;
  }

  #newMark(time: number): number {
    this.#nextSlot = (this.#nextSlot + 2) % MARKS_PER_MS;
    return (time + this.lead) * MARKS_PER_MS + this.#nextSlot;
  }

  #shownAt(at: number): number {
    const mark = this.#marks[at] ?? IN_DOUBT;
    if (mark === IN_DOUBT) return (this.#times[at] ?? 0) + this.lead;
    return Math.floor(Math.abs(mark) / MARKS_PER_MS);
  }
}
