import type { Knex } from 'knex';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import type { KeyHome } from './dashboard-api-keys.js';
import { inlined } from './described-select.js';
import { runStatement } from './run-statement.js';

/** In its own schema: it survives the removal of the change capture, which can be reinstalled. */
export const MANAGED_KEYS = 'content_keys.api_keys';

export const CREATE_MANAGED_KEYS = `  create schema if not exists content_keys;
  create table if not exists ${MANAGED_KEYS} (
    id text primary key,
    organization_id text not null,
    name text not null default '',
    key_hash text not null unique,
    key_prefix text not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz not null default now()
  );
  create index if not exists api_keys_of_organization on ${MANAGED_KEYS} (organization_id)`;

export async function createManagedKeys(database: Knex): Promise<void> {
  await database.raw(CREATE_MANAGED_KEYS);
}

/** The organizations of the mapping, or those of its websites. */
export function managedKeyHome({ selects }: DashboardMapping): KeyHome {
  const organizations =
    selects.organizations ?? `select organization_id as id from ${inlined(selects.websites ?? '')} as mapped`;
  return {
    table: MANAGED_KEYS,
    hasOrganization: async (database, id) => {
      const statement = `select from ${inlined(organizations)} as organization where organization.id::text = $1 limit 1`;
      return (await runStatement(database, statement, [id])).rows.length > 0;
    },
  };
}
