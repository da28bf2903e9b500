import type { Fault } from '../../../domain/errors.js';
import { codeOf, reasonOf } from '../../../domain/policies/reason-of.js';

/**
 * Connections (08), a standby now (25), logins (28), no such database (3D), conflicts (40), full or
 * shutting down (53, 57), locks (55), files (58).
 */
const OUTAGE = /^(08|25|28|3D|40|53|55|57|58)/;
/** Out of memory, and a slow statement. */
const OF_THE_STATEMENT = new Set(['53200', '57014']);
/**
 * A right, table, column, function, type or schema that is missing, also one named inside a
 * function; a materialized view that was never filled.
 */
const OF_THE_KIND = new Set(['42501', '42P01', '42703', '42883', '42704', '3F000', '55000']);
const SQLSTATE = /^[0-9A-Z]{5}$/;
/**
 * Unsupported (0A), wrong numbers of rows (21), values (22), syntax or names (42), complexity (54).
 */
const REJECTION = /^(0A|21|22|42|54)/;

/** Null: not the server's error. */
export function faultOf(error: unknown): Fault | null {
  const code = codeOf(error);
  if (!SQLSTATE.test(code)) return null;
  if (OF_THE_KIND.has(code)) return 'kind';
  return OUTAGE.test(code) && !OF_THE_STATEMENT.has(code) ? 'outage' : 'row';
}

export function isOutage(error: unknown): boolean {
  return faultOf(error) === 'outage';
}

/** Whether the statement is the cause: it would fail on another server too. */
export function isOfStatement(error: unknown): boolean {
  const code = codeOf(error);
  return REJECTION.test(code) || OF_THE_STATEMENT.has(code);
}

/** Names the setting of the database in the message of a failure. */
export async function naming<Result>(variable: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    throw new Error(`${variable}: ${reasonOf(error)}`, { cause: error });
  }
}
