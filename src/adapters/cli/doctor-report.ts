import type { Examined } from '../../domain/model/finding.js';

const OUTCOME_WIDTH = 'failure'.length;

/** One line for each finding, with its advice below. */
export function describeFindings(findings: readonly Examined[]): string {
  const codeWidth = Math.max(...findings.map(({ code }) => code.length));
  const indent = ' '.repeat(OUTCOME_WIDTH + codeWidth + 4);
  return findings
    .map(({ code, outcome, message, advice }) => {
      const line = `${outcome.padEnd(OUTCOME_WIDTH)}  ${code.padEnd(codeWidth)}  ${message}`;
      return advice === null ? line : `${line}\n${indent}→ ${advice}`;
    })
    .join('\n');
}
