import type { Knex } from 'knex';
import type { DashboardMapping } from '../mapping/dashboard-mapping.js';
import type { KeyTable } from '../source/dashboard-keys.js';
import { inlined } from './read/described-select.js';
import { runStatement } from './read/query-rows.js';

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

export const REFERENCE_KEYS = keyTable('public.api_keys', 'select id from public.organizations');

/** The organizations of the mapping, or those of its websites. */
export function managedKeys({ selects }: DashboardMapping): KeyTable {
  const ofWebsites = `select organization_id as id from ${inlined(selects.websites ?? '')} as mapped`;
  return keyTable(MANAGED_KEYS, selects.organizations ?? ofWebsites);
}

function keyTable(name: string, organizations: string): KeyTable {
  const statement = `select from ${inlined(organizations)} as organization where organization.id::text = $1 limit 1`;
  return {
    name,
    now: 'now()',
    hasOrganization: async (database, id) => (await runStatement(database, statement, [id])).rows.length > 0,
    toStored: (time) => time,
    toDate: (stored) => new Date(stored),
  };
}
