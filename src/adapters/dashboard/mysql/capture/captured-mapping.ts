import { createHash } from 'node:crypto';
import type { DashboardMapping } from '../../mapping/dashboard-mapping.js';
import type { Captures } from './captured-tables.js';

/** What the change capture depends on. */
export type CapturingMapping = Pick<DashboardMapping, 'timeZone' | 'selects' | 'captures'>;

export function capturesOf({ captures }: CapturingMapping): Captures {
  return Object.fromEntries(captures.map(({ table, touches }) => [table, touches]));
}

/** Different for each mapping. */
export function digestOf({ timeZone, selects, captures }: CapturingMapping): string {
  return createHash('sha256')
    .update(JSON.stringify([timeZone, selects, captures]))
    .digest('hex')
    .slice(0, 16);
}
