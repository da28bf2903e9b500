import type { Finding } from '../../adapters/cli/doctor-report.js';
import { reasonOf } from '../../domain/policies/reason-of.js';

/** The time limit of a check, and those of both kinds of servers, in their words. */
const TOO_SLOW_REASONS =
  /no answer within|statement timeout|max_statement_time|maximum statement execution time/;
const TOO_SLOW = 'the server is slow or busy: see which statements it runs, and run the doctor again';

export type Verdict = Omit<Finding, 'check'>;

/** One check. */
export interface HealthCheck {
  readonly name: string;
  /** What to do if the check itself fails. */
  readonly ifItFails: string;
  run(): Promise<Verdict>;
}

/** A check that reads facts, and a judgement of them. */
export function check<Facts>(
  name: string,
  ifItFails: string,
  read: () => Promise<Facts>,
  judge: (facts: Facts) => Verdict,
): HealthCheck {
  return { name, ifItFails, run: async () => judge(await read()) };
}

export function ok(message: string): Verdict {
  return { outcome: 'ok', message, advice: null };
}

export function warning(message: string, advice: string): Verdict {
  return { outcome: 'warning', message, advice };
}

export function failure(message: string, advice: string): Verdict {
  return { outcome: 'failure', message, advice };
}

/** One after another. If a needed one fails, all that follow it are skipped. */
export async function examine(
  needed: readonly HealthCheck[],
  otherChecks: readonly HealthCheck[] = [],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const check of needed) {
    const finding = await findingOf(check);
    findings.push(finding);
    if (finding.outcome === 'failure') return findings;
  }
  for (const check of otherChecks) findings.push(await findingOf(check, TOO_SLOW));
  return findings;
}

async function findingOf({ name, ifItFails, run }: HealthCheck, ifTooSlow = ifItFails): Promise<Finding> {
  try {
    return { check: name, ...(await run()) };
  } catch (error) {
    const reason = reasonOf(error);
    return { check: name, ...failure(reason, TOO_SLOW_REASONS.test(reason) ? ifTooSlow : ifItFails) };
  }
}
