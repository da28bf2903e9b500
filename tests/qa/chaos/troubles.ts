/** The part of a fault's name that marks the loss of commits. */
export const COMMITS_LOST = 'commits lost';
/**
 * How long lost commits may be missing in the read tables after a promotion: a worker has to find its databases and
 * read again.
 */
const REPLAYED_WITHIN_MS = 10_000;

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

  /** Records a trouble that was not caused on purpose and is only known afterwards. */
  note(target: string, fault: string, begun: number, over: number): void {
    this.#all.push({ target, fault, begun, over, isOnPurpose: false });
  }

  get count(): number {
    return this.#onPurpose.length;
  }

  /**
   * Whether there was a trouble between these times, or so shortly before that the target may not have recovered.
   * `what` is the beginning of the target's name, or a pattern for target and fault.
   */
  overlap(what: string | RegExp, from: number, to: number, recoveryMs = 0): boolean {
    return this.#all.some(
      (trouble) => trouble.begun <= to && from <= trouble.over + recoveryMs && isOf(trouble, what),
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

function isOf({ target, fault }: Trouble, what: string | RegExp): boolean {
  return typeof what === 'string' ? target.startsWith(what) : what.test(`${target}: ${fault}`);
}

/**
 * Whether a database failed over and lost its last commits then, or so shortly before that the worker may not have
 * repaired it.
 */
export function commitsWereLost(troubles: Troubles, from: number, to: number): boolean {
  return troubles.overlap(new RegExp(COMMITS_LOST), from, to, REPLAYED_WITHIN_MS);
}
