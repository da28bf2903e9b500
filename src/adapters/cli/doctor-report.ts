import type { Finding } from '../../domain/model/finding.js';

export interface ReportedFinding extends Finding {
  readonly check: string;
}

const OUTCOME_WIDTH = 'failure'.length;

/** One line for each finding, with its advice below. */
export function describeFindings(findings: readonly ReportedFinding[]): string {
  const checkWidth = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(OUTCOME_WIDTH + checkWidth + 4);
  return findings
    .map(({ check, outcome, message, advice }) => {
      const line = `${outcome.padEnd(OUTCOME_WIDTH)}  ${check.padEnd(checkWidth)}  ${message}`;
      return advice === null ? line : `${line}\n${indent}→ ${advice}`;
    })
    .join('\n');
}
