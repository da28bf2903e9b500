import { createHash } from 'node:crypto';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import type { Captures } from './captured-tables.js';

/** The keys of a dashboard without keys of its own. They survive the removal of the change capture, which can be reinstalled. */
export const MANAGED_KEYS = 'content_keys_api_keys';

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
