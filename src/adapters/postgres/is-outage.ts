/**
 * Errors that concern PostgreSQL or the moment, not the statement: connections (08), a server that is full or shutting down (53, 57), a
 * server that has become a standby (25), conflicts with other transactions (40, 55). Out of memory, and a statement that took too long,
 * concern the statement.
 */
const OUTAGE = /^(08|25|40|53|55|57)/;
const OF_THE_STATEMENT = new Set(['53200', '57014']);
/** Rejected statements: unsupported (0A), wrong numbers of rows (21), invalid values (22), wrong syntax or names (42), too complex (54). */
const REJECTION = /^(0A|21|22|42|54)/;

export function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  return OUTAGE.test(code) && !OF_THE_STATEMENT.has(code);
}

/** Whether the server answered, and the statement is the cause. It would fail on another server too. */
export function isOfStatement(error: unknown): boolean {
  const code = codeOf(error);
  return REJECTION.test(code) || OF_THE_STATEMENT.has(code);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
