-- Which servers the read tables and the dashboard were on when the sync worker last led: after a failover, rows that it wrote or read may be
-- gone. Another dashboard than that is not synced at all until an operator says so.
create table content_read.known_databases (
  name text primary key check (name in ('dashboard', 'readTables')),
  system_identifier text not null,
  database_oid bigint not null,
  -- Raised by each promotion of a standby.
  timeline bigint not null,
  since timestamptz not null default clock_timestamp()
);
