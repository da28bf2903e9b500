import { reasonOf } from '../../../domain/policies/reason-of.js';

/**
 * Errors of the server or the moment: connections (08), full or shutting down (53, 57), a standby
 * now (25), conflicts (40, 55). Out of memory, and a slow statement, concern the statement.
 */
const OUTAGE = /^(08|25|40|53|55|57)/;
const OF_THE_STATEMENT = new Set(['53200', '57014']);
/**
 * Unsupported (0A), wrong numbers of rows (21), values (22), syntax or names (42), complexity (54).
 */
const REJECTION = /^(0A|21|22|42|54)/;

export function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  return OUTAGE.test(code) && !OF_THE_STATEMENT.has(code);
}

/** Whether the statement is the cause: it would fail on another server too. */
export function isOfStatement(error: unknown): boolean {
  const code = codeOf(error);
  return REJECTION.test(code) || OF_THE_STATEMENT.has(code);
}

/** Empty: it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Names the setting of the database in the message of a failure. */
export async function naming<Result>(variable: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    throw new Error(`${variable}: ${reasonOf(error)}`, { cause: error });
  }
}
