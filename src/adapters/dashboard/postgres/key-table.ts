/** In its own schema: it survives the removal of the change capture, which can be reinstalled. */
export const MANAGED_KEYS = 'content_keys.api_keys';

export const CREATE_MANAGED_KEYS = [
  'create schema if not exists content_keys',
  `create table if not exists ${MANAGED_KEYS} (
    id text primary key,
    organization_id text not null,
    name text not null default '',
    key_hash text not null unique,
    key_prefix text not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz not null default now()
  )`,
  `create index if not exists api_keys_of_organization on ${MANAGED_KEYS} (organization_id)`,
];
