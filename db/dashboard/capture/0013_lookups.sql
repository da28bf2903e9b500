-- A key that is a select is looked up after the commit: a trigger does not see what another transaction adds at the same time, and what it adds was read by
-- the worker before this one commits. The trigger notes the columns of the changed row that the select names, as JSON in `key`, and here the function that
-- finds the keys. `npm run migrate` makes it from the mapping.
alter table content_sync.change_queue add column lookup text;

-- As in 0002. A worker of an older version takes the JSON for a key that no row has, and acknowledges it: what is found is put into the queue by that, too.
create or replace function content_sync.acknowledge(ids bigint[]) returns void language plpgsql security definer
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
    select taken.lookup, array_agg(taken.kind) as kinds, array_agg(taken.key) as keys, min(taken.at) as at
    from taken where taken.lookup is not null group by taken.lookup
  loop
    if exists (select from pg_proc where pronamespace = 'content_sync'::regnamespace and proname = noted.lookup) then
      execute format('select content_sync.%I($1, $2, $3)', noted.lookup) using noted.kinds, noted.keys, noted.at;
    else
      -- Noted for another mapping than that of now.
      insert into content_sync.change_queue (kind) values ('everything');
    end if;
  end loop;
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
