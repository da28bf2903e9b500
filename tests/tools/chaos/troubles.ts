/** Its end is only known once it is over. */
interface Trouble {
  readonly target: string;
  readonly fault: string;
  readonly begun: number;
  over: number;
  readonly isOnPurpose: boolean;
}

/** The faults and when they occurred: they may excuse an answer. Times are those of `performance.now()`. */
export class Troubles {
  readonly #all: Trouble[] = [];

  begin(target: string, fault: string): Trouble {
    const begun = performance.now();
    const trouble = { target, fault, begun, over: Number.POSITIVE_INFINITY, isOnPurpose: true };
    this.#all.push(trouble);
    return trouble;
  }

  end(trouble: Trouble): void {
    trouble.over = performance.now();
  }

  /** Records a trouble that was not caused on purpose and is only known afterwards. */
  note(target: string, fault: string, begun: number, over: number): void {
    this.#all.push({ target, fault, begun, over, isOnPurpose: false });
  }

  get count(): number {
    return this.#onPurpose.length;
  }

  /**
   * Whether such a target was in trouble between these times, or so shortly before that it may not have recovered.
   */
  overlap(targets: RegExp, from: number, to: number, recoveryMs = 0): boolean {
    return this.#all.some(
      ({ target, begun, over }) => begun <= to && from <= over + recoveryMs && targets.test(target),
    );
  }

  /** The last faults, a line each. */
  latest(count: number): string {
    const lines = this.#onPurpose.slice(-count).map(({ target, fault, begun, over }) => {
      const end = Number.isFinite(over) ? `to ${over.toFixed(0)}` : 'and still';
      return `  ${target}: ${fault}, from ${begun.toFixed(0)} ${end}`;
    });
    return lines.join('\n');
  }

  get #onPurpose(): readonly Trouble[] {
    return this.#all.filter(({ isOnPurpose }) => isOnPurpose);
  }
}

const MAX_FINDINGS = 20;

/** Violated invariants, with the millisecond at which each was detected. */
export class Findings {
  readonly all: string[] = [];

  add(finding: string): void {
    if (this.all.length < MAX_FINDINGS) this.all.push(`${performance.now().toFixed(0)}: ${finding}`);
  }
}
