import type { Fault } from '../../../domain/errors.js';
import { codeOf, reasonOf } from '../../../domain/policies/reason-of.js';

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** What PostgreSQL's codes mean, each by its class or as a whole. */
const MEANINGS = {
  /**
   * Connections (08), a standby now (25), logins (28), no such database (3D), conflicts (40), full
   * or shutting down (53, 57), locks (55), files (58); not what one statement takes too much of.
   */
  outage: /^(08|25|28|3D|40|53(?!200)|55|57(?!014)|58)/,
  /**
   * A right, table, column, function, type or schema that is missing, also one named inside a
   * function; a materialized view that was never filled.
   */
  kind: /^(42501|42P01|42703|42883|42704|3F000|55000)/,
  /**
   * Unsupported (0A), wrong numbers of rows (21), values (22), syntax or names (42), complexity
   * (54), out of memory, a slow statement: it would fail on another server too.
   */
  statement: /^(0A|21|22|42|54|53200|57014)/,
  /** Invalid values, constraints, rows too large for an index. */
  unstorable: /^(22|23|54)/,
  /** Also what the operating system or TLS says. */
  connection: /^(28|3D|08|57P|E[A-Z]|[A-Z]+_)/,
  denied: /^42501/,
  locked: /^55P03/,
  slow: /^57014/,
  readOnly: /^25006/,
  /** An administrator ended the session, the server crashed, or it was idle for too long. */
  sessionEnded: /^57P0[125]/,
  /** The name of a prepared statement is unknown, or in use. */
  sessionShared: /^(26000|42P05)/,
  /** The type of a column has changed, so that a prepared statement is rejected. */
  typesChanged: /^0A000/,
};

export function means(error: unknown, meaning: keyof typeof MEANINGS): boolean {
  return MEANINGS[meaning].test(codeOf(error));
}

/** Null: not the server's error. */
export function faultOf(error: unknown): Fault | null {
  if (!SQLSTATE.test(codeOf(error))) return null;
  return means(error, 'kind') ? 'kind' : means(error, 'outage') ? 'outage' : 'row';
}

/** What the server says, with its suggestion or the function that failed. */
export function reasonIn(error: Error): string {
  const { hint, where } = error as { hint?: string; where?: string };
  const detail = hint ?? where?.split('\n')[0];
  return detail === undefined ? error.message : `${error.message} (${detail})`;
}

/** Names the setting of the database in the message of a failure. */
export async function naming<Result>(variable: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    throw new Error(`${variable}: ${reasonOf(error)}`, { cause: error });
  }
}
