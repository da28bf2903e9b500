import type { Engine } from '../source/engine.js';

const MANAGED_KEYS = 'content_keys.api_keys';
const CHANGES = 'content_sync.change_queue';

export const WORDS: Engine['words'] = {
  /** In its own schema: it survives the removal of the change capture, which can be reinstalled. */
  managedKeys: MANAGED_KEYS,
  createKeys: [
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
  ],
  isNoHash: `(key_hash !~ '^[0-9a-f]{64}$')`,
  queue: {
    whetherInstalled: `select 1 as one where to_regclass('${CHANGES}') is not null`,
    table: CHANGES,
    key: 'key',
    time: 'at::text',
    lagMs: 'extract(epoch from clock_timestamp() - min(at))::float * 1000',
    add: (select) => `insert into ${CHANGES} (kind, key, at) ${select}`,
  },
};
