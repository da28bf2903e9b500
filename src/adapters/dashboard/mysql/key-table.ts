/** The keys of a dashboard without its own. They survive the removal of the change capture. */
export const MANAGED_KEYS = 'content_keys_api_keys';

export const CREATE_MANAGED_KEYS = [
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
];
