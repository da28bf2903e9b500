/**
 * What PostgreSQL says of itself or of the moment, not of the statement: connections (08), a server that is full or going down (53, 57), that
 * has become a standby (25), conflicts with others (40, 55). Out of memory, and a statement that took too long, are of the statement.
 */
const OUTAGE = /^(08|25|40|53|55|57)/;
const OF_THE_STATEMENT = new Set(['53200', '57014']);

export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  const code = String(error.code);
  return OUTAGE.test(code) && !OF_THE_STATEMENT.has(code);
}
