const ENOUGH = 20;

/** What must never happen and did, with the millisecond at which it was seen. */
export class Findings {
  readonly all: string[] = [];
  /** When the first one was seen, since 1970; null: there is none. */
  firstAt: number | null = null;

  add(finding: string): void {
    this.firstAt ??= Date.now();
    if (this.all.length < ENOUGH) this.all.push(`${performance.now().toFixed(0)}: ${finding}`);
  }
}
