/** Marks of Redis: its time in milliseconds, and a number from 0 to 999 that tells apart what came in the same one. */
export const MARKS_PER_MS = 1000;
/** Further apart than this, Redis's clock was set: a mark made before says nothing about the age of what it marks. */
const CLOCK_WAS_SET_MS = 1_000;
const IN_DOUBT = 0;

/**
 * What one process accepted itself of one key, by its own monotonic clock, oldest first. Each entry has the mark that names it in Redis:
 * positive where Redis has it, negative where Redis has yet to be told, 0 while nobody knows whether Redis took it. An entry keeps its
 * number for as long as it is in the window.
 */
export class OwnEntries {
  readonly #times: number[] = [];
  readonly #marks: number[] = [];
  #firstInside = 0;
  #cutOff = 0;
  #untold = 0;
  #inDoubt = 0;
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

  /** Answers the number of the entry. Without a mark of Redis, it is in doubt until `settle` or `tellLater`. */
  append(now: number, mark: number = IN_DOUBT): number {
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
    this.#setMark(entry, -this.#newMark(this.#times[entry - this.#cutOff] ?? 0));
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
      if (marked > 0 && Math.abs(time + this.lead - marked) > CLOCK_WAS_SET_MS) {
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
      const mark = marks[n] ?? 0;
      if (this.#marks[entry - this.#cutOff] === -mark) this.#setMark(entry, mark);
    });
  }

  get hasUntold(): boolean {
    return this.#untold > 0;
  }

  /** Whether Redis was told of each, and has taken it. */
  get areAllKnown(): boolean {
    return this.#untold === 0 && this.#inDoubt === 0;
  }

  /** 0 while it is not known. */
  get lead(): number {
    return this.#clockLead ?? 0;
  }

  get oldestTime(): number | null {
    return this.#times[this.#firstInside] ?? null;
  }

  /** In Redis's time, as callers are shown it. */
  get oldestShown(): number {
    return this.#shownAt(this.#firstInside);
  }

  /** The time of the entry that has so many behind it, itself among them, and the same in Redis's time. */
  fromLast(entries: number): { readonly time: number; readonly shown: number } {
    const at = this.#times.length - entries;
    return { time: this.#times[at] ?? 0, shown: this.#shownAt(at) };
  }

  /** As a request log counts: what came `lengthMs` ago is out. */
  count(now: number, lengthMs: number): number {
    let [low, high] = [this.#firstInside, this.#times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (now - (this.#times[middle] ?? 0) >= lengthMs) low = middle + 1;
      else high = middle;
    }
    return this.#times.length - low;
  }

  /** Answers how many are left. Cuts off in one piece what is out, so that a long log is not moved for each request. */
  forget(now: number, lengthMs: number): number {
    const inside = this.count(now, lengthMs);
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
    return (time + this.lead) * MARKS_PER_MS + this.#nextSlot;
  }

  #shownAt(at: number): number {
    const mark = this.#marks[at] ?? IN_DOUBT;
    if (mark === IN_DOUBT) return (this.#times[at] ?? 0) + this.lead;
    return Math.floor(Math.abs(mark) / MARKS_PER_MS);
  }
}
