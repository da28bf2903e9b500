-- What the sync worker has applied, for some hours: if the read tables fail over to a standby that has not got its last commits, these changes
-- are taken once more.

create table content_sync.acknowledged_changes (
  id bigint generated always as identity primary key,
  kind text not null,
  key text,
  acknowledged_at timestamptz not null default clock_timestamp()
);
create index acknowledged_changes_by_time on content_sync.acknowledged_changes using brin (acknowledged_at);

-- As their owner: the worker itself may write nothing here.
create function content_sync.acknowledge(ids bigint[]) returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  with taken as (
    delete from content_sync.change_queue as waiting where waiting.id = any(ids) returning waiting.kind, waiting.key
  )
  insert into content_sync.acknowledged_changes (kind, key) select distinct taken.kind, taken.key from taken;
  -- Now and then, and no more at once than many batches have brought since.
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

-- Answers how many changes wait once more.
create function content_sync.replay_acknowledged(since interval) returns bigint language sql security definer
set search_path = pg_catalog, pg_temp as $$
  with replayed as (
    insert into content_sync.change_queue (kind, key)
    select distinct kind, key from content_sync.acknowledged_changes where acknowledged_at >= clock_timestamp() - since
    returning 1
  )
  select count(*) from replayed
$$;
revoke all on function content_sync.replay_acknowledged(interval) from public;
