-- A TRUNCATE of the API keys is found among the changes of keys, which are taken before all others. `everything` is noted as well: a worker
-- of an older version knows nothing else.
create or replace function content_sync.capture() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  kind constant text := tg_argv[0];
  key_column constant text := tg_argv[1];
begin
  if tg_op = 'TRUNCATE' then
    if kind = 'api_keys' then
      insert into content_sync.change_queue (kind) values (kind);
    end if;
    insert into content_sync.change_queue (kind) values ('everything');
  elsif tg_op = 'INSERT' then
    execute format('insert into content_sync.change_queue (kind, key) select distinct %L, %I from added', kind, key_column);
  elsif tg_op = 'DELETE' then
    execute format('insert into content_sync.change_queue (kind, key) select distinct %L, %I from removed', kind, key_column);
  else
    -- Both: a key may have changed itself.
    execute format(
      'insert into content_sync.change_queue (kind, key) select %1$L, %2$I from removed union select %1$L, %2$I from added',
      kind, key_column);
  end if;
  return null;
end
$$;
