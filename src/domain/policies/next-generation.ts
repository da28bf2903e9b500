/**
 * Higher than any that a lost or restored database may have issued: there is never more than one
 * change per microsecond.
 */
export function nextGeneration(newest: number, now: number): number {
  return Math.max(newest + 1, now * 1000);
}
