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
  -- Of a look-up: the columns of the changed row that it needs, as JSON.
  key text,
  at timestamptz not null default clock_timestamp(),
  -- The function that finds the keys if a key is a select. It runs after the commit: a trigger does not see what other transactions add
  -- meanwhile.
  lookup text
) with (
  -- The table is filled and emptied all day. With the default settings, finding its oldest row would get slower until the nightly vacuum.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000
);

-- API keys, websites and look-ups have lanes of their own, which take turns: a revoked key waits for one batch of each other lane.
create index change_queue_of_api_keys on content_sync.change_queue (id) where kind = 'api_keys';
create index change_queue_of_websites on content_sync.change_queue (id) where kind = 'websites';
create index change_queue_of_lookups on content_sync.change_queue (id) where lookup is not null;

-- Removes changes from the queue. What a look-up finds takes its place. Runs as its owner: the worker may not write here.
create function content_sync.acknowledge(ids bigint[]) returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  noted record;
begin
  for noted in
    with taken as (
      delete from content_sync.change_queue as waiting where waiting.id = any(ids)
      returning waiting.kind, waiting.key, waiting.at, waiting.lookup
    )
    select once.lookup, array_agg(once.kind) as kinds, array_agg(once.key) as keys, min(once.at) as at
    from (
      select taken.lookup, taken.kind, taken.key, min(taken.at) as at
      from taken where taken.lookup is not null group by taken.lookup, taken.kind, taken.key
    ) as once group by once.lookup
  loop
    if exists (select from pg_proc where pronamespace = 'content_sync'::regnamespace and proname = noted.lookup) then
      begin
        execute format('select content_sync.%I($1, $2, $3)', noted.lookup) using noted.kinds, noted.keys, noted.at;
      exception when query_canceled then
        -- The worker tries fewer look-ups. One that exceeds the time limit alone would do so again.
        if cardinality(ids) > 1 then raise; end if;
        insert into content_sync.change_queue (kind, at) values ('everything', noted.at);
      end;
    else
      -- It was noted for another mapping.
      insert into content_sync.change_queue (kind) values ('everything');
    end if;
  end loop;
end
$$;
revoke all on function content_sync.acknowledge(bigint[]) from public;
