-- What the change capture stores in the dashboard's database. `npm run migrate` runs this file, and then creates from the mapping a trigger
-- function for each captured table, which notes the keys that a statement touches. The sync worker reads the rows themselves, as they are
-- when it gets there.
--
-- There is no NOTIFY: it takes a lock of the whole server at commit, and refuses PREPARE TRANSACTION.

create schema if not exists content_sync;

-- Changes that are not in the read tables yet.
create table content_sync.change_queue (
  id bigint generated always as identity primary key,
  -- Whose key it is, such as `blogs`; `everything`: no key says what has changed. Then, and for a truncated table of API keys, it is null.
  kind text not null,
  -- Of a look-up, whose kind is `lookup`: a key of the mapping that is a select, and the columns of the changed row that it names, as JSON.
  -- The worker runs it after the commit, because a trigger does not see what other transactions add meanwhile, and replaces it by the keys
  -- that it finds.
  key text,
  at timestamptz not null default clock_timestamp()
) with (
  -- The table is filled and emptied all day. With the default settings, finding its oldest row would get slower until the nightly vacuum.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000
);

-- API keys, websites and look-ups have lanes of their own, which take turns: a revoked key waits for one batch of each other lane.
create index change_queue_of_api_keys on content_sync.change_queue (id) where kind = 'api_keys';
create index change_queue_of_websites on content_sync.change_queue (id) where kind = 'websites';
create index change_queue_of_lookups on content_sync.change_queue (id) where kind = 'lookup';
