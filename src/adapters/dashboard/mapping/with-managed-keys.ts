import type { DashboardMapping } from './dashboard-mapping.js';

/** With the table of keys as any other table, where the mapping leaves the keys to this project. */
export function withManagedKeys(mapping: DashboardMapping, table: string): DashboardMapping {
  if (!mapping.hasManagedKeys) return mapping;
  const api_keys = `select id, organization_id, key_hash, expires_at, revoked_at from ${table}`;
  return {
    ...mapping,
    selects: { ...mapping.selects, api_keys },
    captures: [...mapping.captures, { table, touches: { api_keys: 'id' } }],
  };
}
