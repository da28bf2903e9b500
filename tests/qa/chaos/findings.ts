const ENOUGH = 20;

/** Violated invariants, with the millisecond at which each was detected. */
export class Findings {
  readonly all: string[] = [];
  /** When the first one was detected, in milliseconds since 1970; null if there is none. */
  firstAt: number | null = null;

  add(finding: string): void {
    this.firstAt ??= Date.now();
    if (this.all.length < ENOUGH) this.all.push(`${performance.now().toFixed(0)}: ${finding}`);
  }
}
