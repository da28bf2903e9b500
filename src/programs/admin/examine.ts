import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import type { Check, Examined, Finding } from '../../domain/model/finding.js';
import { reasonOf } from '../../domain/policies/reason-of.js';

/** Below one second, the default probe timeout of Kubernetes. */
const TIMEOUT_MS = 800;
/** The time limit of a check, and those of both kinds of servers, in their words. */
const TOO_SLOW_REASONS =
  /no answer within|statement timeout|max_statement_time|maximum statement execution time/;
const TOO_SLOW =
  'the server is away, slow or busy: see whether it can be reached, and which statements it runs';

export function ok(message: string): Finding {
  return { outcome: 'ok', cause: null, message, advice: null };
}

export function warning(message: string, advice: string | null, cause: string | null = null): Finding {
  return { outcome: 'warning', cause, message, advice };
}

export function failure(message: string, advice: string | null, cause: string | null = null): Finding {
  return { outcome: 'failure', cause, message, advice };
}

export function checkBy(name: string, run: () => Promise<Finding>): Check {
  return { name, isNeeded: false, isQuick: true, after: [], run };
}

/** Reads facts and judges them. `adviceOn`: what to do if they cannot be read. */
export function check<Facts>(
  name: string,
  adviceOn: (error: unknown) => string,
  read: () => Promise<Facts>,
  judge: (facts: Facts) => Finding,
): Check {
  return checkBy(name, async () => {
    try {
      return judge(await read());
    } catch (error) {
      return unread(error, adviceOn(error));
    }
  });
}

export function needed(check: Check): Check {
  return { ...check, isNeeded: true };
}

/** For the doctor alone. */
export function thorough(check: Check): Check {
  return { ...check, isQuick: false };
}

/** If the first one fails, its dependents say nothing. */
export function before(first: Check, dependents: readonly Check[]): readonly Check[] {
  return [first, ...dependents.map((check) => ({ ...check, after: [first.name, ...check.after] }))];
}

export function inTime(milliseconds: number, check: Check): Check {
  return { ...check, run: () => withTimeLimit(milliseconds, check.run()) };
}

export function findingOf(check: Check): Promise<Finding> {
  return check.run().catch((error: unknown) => unread(error, null));
}

/** The quick ones, for a caller that does not wait for long. */
export function examineAtOnce(checks: readonly Check[]): Promise<readonly Examined[]> {
  const begun = checks
    .filter(({ isQuick }) => isQuick)
    .map((check) => {
      const finding = findingOf(inTime(TIMEOUT_MS, check));
      return { ...check, run: () => finding };
    });
  return examineInTurn(begun);
}

/** All of them: checks on one connection, each with its own time limit. */
export async function examineInTurn(checks: readonly Check[]): Promise<readonly Examined[]> {
  const examined: Examined[] = [];
  const failed = new Set<string>();
  for (const check of checks) {
    const { name, isNeeded } = check;
    const earlier = check.after.find((other) => failed.has(other));
    const { cause, ...finding } =
      earlier === undefined
        ? await findingOf(check)
        : warning(`not checked: see \`${earlier}\``, null, 'notChecked');
    if (earlier !== undefined || finding.outcome === 'failure') failed.add(name);
    examined.push({ check: name, code: cause === null ? name : `${name}.${cause}`, isNeeded, ...finding });
  }
  return examined;
}

function unread(error: unknown, advice: string | null): Finding {
  const reason = reasonOf(error);
  return TOO_SLOW_REASONS.test(reason)
    ? failure(reason, TOO_SLOW, 'tooSlow')
    : failure(reason, advice, 'unread');
}
