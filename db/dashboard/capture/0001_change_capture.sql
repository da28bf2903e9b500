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

-- Changes that are in the read tables, for some hours. If the read tables fail over to a standby that lacks the last commits, these changes
-- are taken again.
create table content_sync.acknowledged_changes (
  id bigint generated always as identity primary key,
  kind text not null,
  key text,
  acknowledged_at timestamptz not null default clock_timestamp()
);
create index acknowledged_changes_by_time on content_sync.acknowledged_changes using brin (acknowledged_at);

-- Removes changes from the queue. What a look-up finds takes its place. Both functions run as their owner: the worker may not write here.
create function content_sync.acknowledge(ids bigint[]) returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  noted record;
begin
  for noted in
    with taken as (
      delete from content_sync.change_queue as waiting where waiting.id = any(ids)
      returning waiting.kind, waiting.key, waiting.at, waiting.lookup
    ), kept as (
      insert into content_sync.acknowledged_changes (kind, key)
      select distinct taken.kind, taken.key from taken where taken.lookup is null
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
  -- Old rows are deleted now and then, and no more at once than many batches have added since.
  if random() < 0.01 then
    delete from content_sync.acknowledged_changes as kept where kept.id in (
      select oldest.id
      from (select first.id, first.acknowledged_at from content_sync.acknowledged_changes as first order by first.id limit 50000) as oldest
      where oldest.acknowledged_at < clock_timestamp() - interval '6 hours'
        or oldest.id < (select max(newest.id) from content_sync.acknowledged_changes as newest) - 500000
    );
  end if;
end
$$;
revoke all on function content_sync.acknowledge(bigint[]) from public;

-- Queues what was acknowledged lately once more, except what still waits. Returns how many changes. It is limited to what one statement can
-- do on a slow server: a failover also has everything read again, which includes older changes. API keys are counted separately.
create function content_sync.replay_acknowledged(since interval) returns bigint language sql security definer
set search_path = pg_catalog, pg_temp as $$
  with lately as (
    (select kind, key from content_sync.acknowledged_changes
     where kind = 'api_keys' and acknowledged_at >= clock_timestamp() - since order by id desc limit 10000)
    union
    (select kind, key from content_sync.acknowledged_changes
     where kind <> 'api_keys' and acknowledged_at >= clock_timestamp() - since order by id desc limit 10000)
  ), replayed as (
    insert into content_sync.change_queue (kind, key)
    select kind, key from lately except select kind, key from content_sync.change_queue
    returning 1
  )
  select count(*) from replayed
$$;
revoke all on function content_sync.replay_acknowledged(interval) from public;
