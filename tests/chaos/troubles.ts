/** How long it lasts is only known once it is over. */
interface Trouble {
  readonly target: string;
  readonly fault: string;
  readonly begun: number;
  over: number;
}

/** What is broken on purpose, and when: an answer may be excused by it. Times are those of `performance.now()`. */
export class Troubles {
  readonly #all: Trouble[] = [];

  begin(target: string, fault: string): Trouble {
    const trouble = { target, fault, begun: performance.now(), over: Number.POSITIVE_INFINITY };
    this.#all.push(trouble);
    return trouble;
  }

  end(trouble: Trouble): void {
    trouble.over = performance.now();
  }

  get count(): number {
    return this.#all.length;
  }

  /** Whether the target was broken at some time of these, or so shortly before that it may not have recovered. */
  overlap(target: string, from: number, to: number, recoveryMs = 0): boolean {
    return this.#all.some(
      (trouble) => trouble.target === target && trouble.begun <= to && from <= trouble.over + recoveryMs,
    );
  }

  /** What led to this moment, a line each. */
  latest(count: number): string {
    const lines = this.#all.slice(-count).map(({ target, fault, begun, over }) => {
      const end = Number.isFinite(over) ? `to ${over.toFixed(0)}` : 'and still';
      return `  ${target}: ${fault}, from ${begun.toFixed(0)} ${end}`;
    });
    return lines.join('\n');
  }
}
