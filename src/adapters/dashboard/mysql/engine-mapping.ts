import { createHash } from 'node:crypto';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import type { Captures } from './captured-tables.js';

/** The keys of a dashboard that has none of its own. They outlive the change capture, which may be taken out and put back. */
export const MANAGED_KEYS = 'content_keys_api_keys';

/** A mapping in which the keys that this project keeps are in a table like others. */
export function withManagedKeys(mapping: DashboardMapping): DashboardMapping {
  if (!mapping.hasManagedKeys) return mapping;
  return {
    ...mapping,
    selects: {
      ...mapping.selects,
      api_keys: `select id, organization_id, key_hash, expires_at, revoked_at from ${MANAGED_KEYS}`,
    },
    captures: [...mapping.captures, { table: MANAGED_KEYS, touches: { api_keys: 'id' } }],
  };
}

export function capturesOf({ captures }: DashboardMapping): Captures {
  return Object.fromEntries(captures.map(({ table, touches }) => [table, touches]));
}

/** Another one for each mapping. */
export function digestOf({ timeZone, selects, captures }: DashboardMapping): string {
  return createHash('sha256')
    .update(JSON.stringify([timeZone, selects, captures]))
    .digest('hex')
    .slice(0, 16);
}
