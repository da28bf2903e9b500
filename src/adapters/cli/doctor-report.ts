/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly outcome: 'ok' | 'warning' | 'failure';
  readonly message: string;
  /** What to do; null: nothing. */
  readonly advice: string | null;
}

const OUTCOME_WIDTH = 'failure'.length;

/** One line for each finding, with its advice below. */
export function describeFindings(findings: readonly Finding[]): string {
  const checkWidth = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(OUTCOME_WIDTH + checkWidth + 4);
  return findings
    .map(({ check, outcome, message, advice }) => {
      const line = `${outcome.padEnd(OUTCOME_WIDTH)}  ${check.padEnd(checkWidth)}  ${message}`;
      return advice === null ? line : `${line}\n${indent}→ ${advice}`;
    })
    .join('\n');
}
