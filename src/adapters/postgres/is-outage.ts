/**
 * Errors that concern PostgreSQL or the moment, not the statement: connections (08), a server that is full or shutting down (53, 57), a
 * server that has become a standby (25), conflicts with other transactions (40, 55). Out of memory, and a statement that took too long,
 * concern the statement.
 */
const OUTAGE = /^(08|25|40|53|55|57)/;
const OF_THE_STATEMENT = new Set(['53200', '57014']);

export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  const code = String(error.code);
  return OUTAGE.test(code) && !OF_THE_STATEMENT.has(code);
}
