/** What a look at one thing has shown. */
export interface Finding {
  readonly check: string;
  readonly outcome: 'ok' | 'warning' | 'failure';
  readonly found: string;
  /** What to do; null where nothing is. */
  readonly advice: string | null;
}

const OUTCOME_WIDTH = 'failure'.length;

/** A line for each, and below it what to do. */
export function describeFindings(findings: readonly Finding[]): string {
  const checkWidth = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(OUTCOME_WIDTH + checkWidth + 4);
  return findings
    .map(({ check, outcome, found, advice }) => {
      const line = `${outcome.padEnd(OUTCOME_WIDTH)}  ${check.padEnd(checkWidth)}  ${found}`;
      return advice === null ? line : `${line}\n${indent}→ ${advice}`;
    })
    .join('\n');
}
