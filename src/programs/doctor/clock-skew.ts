import type { Clock } from '../../domain/ports/clock.js';
import { ok, type Verdict, warning } from './health-check.js';

const TOLERATED_MS = 1_000;

/** Keys expire by the clock of the API's machine, windows move by that of Redis, and lag is measured by the dashboard's. */
export async function clockSkew(clock: Clock, ask: () => Promise<number>): Promise<Verdict> {
  const before = clock.now();
  const theirs = await ask();
  const skewMs = Math.round(theirs - (before + clock.now()) / 2);
  const found = `${Math.abs(skewMs)} ms ${skewMs < 0 ? 'behind' : 'ahead of'} this machine`;
  if (Math.abs(skewMs) <= TOLERATED_MS) return ok(found);
  return warning(
    found,
    'synchronize both clocks by NTP: otherwise keys expire and limits end too early or too late',
  );
}
