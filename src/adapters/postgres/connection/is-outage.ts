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

const MAX_REASON_LENGTH = 500;
/** The driver puts the statement before the cause, with ` - ` in between. */
const STATEMENT =
  /^\s*(analyze|begin|close|commit|create|declare|delete|drop|fetch|insert|lock|rollback|savepoint|select|set|show|start|truncate|update|with)\b.* - /is;

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

/** The cause of a failure, with its SQLSTATE if it has one, without the statement that failed. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (!(error instanceof Error)) return String(error);
  const cause = error.message.replace(STATEMENT, '').slice(0, MAX_REASON_LENGTH);
  const code = codeOf(error);
  return code === '' || cause.includes(code) ? cause : `${code}: ${cause}`;
}

/** Names the setting of the database in the message of a failure. */
export async function naming<Result>(variable: string, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    // Several addresses failed. The AggregateError itself has no message.
    const reasons = error instanceof AggregateError ? error.errors : [error];
    const messages = reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason)));
    throw new Error(`${variable}: ${messages.join('; ')}`, { cause: error });
  }
}
