import type { DashboardMapping } from './dashboard-mapping.js';

/** Adds the table of keys as a captured table if the mapping leaves the keys to this project. */
export function withManagedKeys(mapping: DashboardMapping, table: string): DashboardMapping {
  if (!mapping.hasManagedKeys) return mapping;
  const api_keys = `select id, organization_id, key_hash, expires_at, revoked_at from ${table}`;
  return {
    ...mapping,
    selects: { ...mapping.selects, api_keys },
    captures: [...mapping.captures, { table, touches: { api_keys: 'id' } }],
  };
}
