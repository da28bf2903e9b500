import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import type { KeyTable } from '../source/dashboard-keys.js';
import { queryRows } from './read/query-rows.js';
import { text } from './read/quoted.js';

/** The keys of a dashboard without its own. They survive the removal of the change capture. */
export const MANAGED_KEYS = 'content_keys_api_keys';

/** Times in the table are UTC. */
export function keyTable(name: string, { organizations, websites }: DashboardMapping['selects']): KeyTable {
  const select = organizations ?? `select distinct organization_id as id from (${websites}) as website`;
  return {
    name,
    now: 'utc_timestamp(6)',
    hasOrganization: async (database, id) => {
      const statement = `select id from (${select}) as organization where id = ${text(id)}`;
      // The dashboard's collation may take another id for this one.
      return (await queryRows<{ id: string }>(database, statement)).some((row) => row.id === id);
    },
    toStored: (time) => time.toISOString().slice(0, -1).replace('T', ' '),
    toDate: (stored) => new Date(`${String(stored).replace(' ', 'T').slice(0, 23)}Z`),
  };
}
