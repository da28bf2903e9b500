-- No more than what a statement can put back in the time that it has, on a slow server too: what is older is read anew together with everything
-- else, which a failover asks for as well. API keys are counted by themselves.
create or replace function content_sync.replay_acknowledged(since interval) returns bigint language sql security definer
set search_path = pg_catalog, pg_temp as $$
  with lately as (
    (select kind, key from content_sync.acknowledged_changes
     where kind = 'api_keys' and acknowledged_at >= clock_timestamp() - since order by id desc limit 10000)
    union
    (select kind, key from content_sync.acknowledged_changes
     where kind <> 'api_keys' and acknowledged_at >= clock_timestamp() - since order by id desc limit 10000)
  ), replayed as (
    insert into content_sync.change_queue (kind, key) select kind, key from lately returning 1
  )
  select count(*) from replayed
$$;
