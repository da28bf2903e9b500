import type { Failed } from './observed-api.js';
import type { Troubles } from './troubles.js';

const RECOVERY_MS = 5_000;

/** Decides which 500s have a valid reason. */
export class Outages {
  readonly #admitted = new Set<string>();
  readonly #excused = new Map<string, number>();

  constructor(
    private readonly troubles: Troubles,
    private readonly replicas: readonly string[],
  ) {}

  /** The number of excused 500s for each reason. */
  get excused(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#excused);
  }

  /** From now on, some database contains the key. */
  admitted(key: string): void {
    this.#admitted.add(key);
  }

  wasAdmitted(key: string): boolean {
    return this.#admitted.has(key);
  }

  excuse(failed: Failed): boolean {
    const reason = this.#reasonFor(failed);
    if (reason === null) return false;
    this.#excused.set(reason, (this.#excused.get(reason) ?? 0) + 1);
    return true;
  }

  #reasonFor({ wasAdmitted, from, to }: Failed): string | null {
    const isOpen = (target: string) => this.troubles.overlap(target, from, to, RECOVERY_MS);
    if (!isOpen('read database')) return null;
    if (this.replicas.every(isOpen)) return 'no database was available';
    return wasAdmitted ? null : 'the key was new, and the primary was unavailable';
  }
}
