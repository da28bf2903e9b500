/**
 * Higher than the last generation, and higher than any that a lost or restored database may have issued. The number of changes never
 * exceeds one per microsecond.
 */
export function nextGeneration(last: number, now: number): number {
  return Math.max(last + 1, now * 1000);
}
