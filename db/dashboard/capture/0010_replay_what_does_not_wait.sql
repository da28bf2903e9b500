-- What waits already need not be put back: where databases fail over one after the other, the queue grew by the whole replay each time.
create or replace function content_sync.replay_acknowledged(since interval) returns bigint language sql security definer
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
