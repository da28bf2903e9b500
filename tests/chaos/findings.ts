const ENOUGH = 20;

/** What must never happen and did, with the millisecond at which it was seen. */
export class Findings {
  readonly all: string[] = [];

  add(finding: string): void {
    if (this.all.length < ENOUGH) this.all.push(`${performance.now().toFixed(0)}: ${finding}`);
  }
}
