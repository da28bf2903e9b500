/**
 * Higher than the last one, and higher than any that a lost or restored database may have given out before: one change a
 * microsecond is more than there will ever be.
 */
export function nextGeneration(last: number, now: number): number {
  return Math.max(last + 1, now * 1000);
}
