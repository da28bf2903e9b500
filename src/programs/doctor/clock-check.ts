import type { Check } from '../../domain/model/finding.js';
import { check, failure, ok } from '../admin/examine.js';

const MAX_DIFFERENCE_MS = 1_000;
const KEEP_CLOCKS = 'keep the clocks of all machines in step, for example with chrony';

/** Keys expire by the clock of this machine. */
export function clockCheck(server: string, timeMs: () => Promise<number>): Check {
  const read = async () => {
    const asked = Date.now();
    const time = await timeMs();
    // Whenever it was read in between.
    return Math.min(Date.now(), Math.max(asked, time)) - time;
  };
  return check(
    `${server}: clock`,
    () => `see \`${server}\``,
    read,
    (aheadMs) => {
      if (Math.abs(aheadMs) < MAX_DIFFERENCE_MS) return ok('agrees with that of this machine');
      const difference = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'ahead' : 'behind'}`;
      return failure(`this machine is ${difference}, and keys expire by its clock`, KEEP_CLOCKS);
    },
  );
}
