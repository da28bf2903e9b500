import type { Engine } from '../source/engine.js';

const MANAGED_KEYS = 'content_keys_api_keys';
const CHANGES = 'content_sync_changes';

export const WORDS: Engine['words'] = {
  /** They survive the removal of the change capture. */
  managedKeys: MANAGED_KEYS,
  createKeys: [
    `create table if not exists ${MANAGED_KEYS} (
    id varchar(64) character set ascii not null primary key,
    organization_id varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
    name text character set utf8mb4 not null,
    key_hash char(64) character set ascii collate ascii_bin not null unique,
    key_prefix varchar(20) character set ascii not null,
    expires_at datetime(6) null,
    revoked_at datetime(6) null,
    created_at datetime(6) not null default current_timestamp(6),
    key ${MANAGED_KEYS}_by_organization (organization_id)
  ) engine = innodb`,
  ],
  /** Compares bytes, whatever the collation is. */
  isNoHash: `(binary key_hash not regexp binary '^[0-9a-f]{64}$')`,
  queue: {
    whetherInstalled: `select 1 as one from information_schema.tables where table_schema = database() and table_name = '${CHANGES}'`,
    table: CHANGES,
    key: 'entity_key',
    time: 'at',
    lagMs: 'timestampdiff(microsecond, min(at), sysdate(6)) / 1000',
    add: (select) =>
      `insert into ${CHANGES} (id, kind, entity_key, at) select uuid_short(), kind, row_key, at from (${select}) as added`,
  },
};
