/** The part of a fault's name that says so. */
export const COMMITS_LOST = 'commits lost';
/** How long after a promotion what was lost may be missing in the read tables: a worker has to find its databases, and to read again. */
const REPLAYED_WITHIN_MS = 10_000;

/** How long it lasts is only known once it is over. */
interface Trouble {
  readonly target: string;
  readonly fault: string;
  readonly begun: number;
  over: number;
  readonly isOnPurpose: boolean;
}

/** What is broken on purpose, and when: an answer may be excused by it. Times are those of `performance.now()`. */
export class Troubles {
  readonly #all: Trouble[] = [];

  begin(target: string, fault: string): Trouble {
    const trouble = {
      target,
      fault,
      begun: performance.now(),
      over: Number.POSITIVE_INFINITY,
      isOnPurpose: true,
    };
    this.#all.push(trouble);
    return trouble;
  }

  end(trouble: Trouble): void {
    trouble.over = performance.now();
  }

  /** What was not done on purpose, and is known afterwards. */
  note(target: string, fault: string, begun: number, over: number): void {
    this.#all.push({ target, fault, begun, over, isOnPurpose: false });
  }

  get count(): number {
    return this.#onPurpose.length;
  }

  /**
   * Whether something was broken at some time of these, or so shortly before that it may not have recovered: a target whose name begins
   * like that, or what the pattern says of target and fault.
   */
  overlap(what: string | RegExp, from: number, to: number, recoveryMs = 0): boolean {
    return this.#all.some(
      (trouble) => trouble.begun <= to && from <= trouble.over + recoveryMs && isOf(trouble, what),
    );
  }

  /** What led to this moment, a line each. */
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

function isOf({ target, fault }: Trouble, what: string | RegExp): boolean {
  return typeof what === 'string' ? target.startsWith(what) : what.test(`${target}: ${fault}`);
}

/** Whether either database failed over and lost its last commits then, or so shortly before that the worker may not have repaired it. */
export function commitsWereLost(troubles: Troubles, from: number, to: number): boolean {
  return troubles.overlap(new RegExp(COMMITS_LOST), from, to, REPLAYED_WITHIN_MS);
}
