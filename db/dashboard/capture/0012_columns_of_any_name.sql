-- As in 0011. The tables are somebody else's: where one has a column that is named as a variable here, each write to it failed.
create or replace function content_sync.capture() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  captured constant text := tg_argv[0];
  key_column constant text := tg_argv[1];
begin
  if tg_op = 'TRUNCATE' then
    if captured = 'api_keys' then
      insert into content_sync.change_queue (kind) values (captured);
    end if;
    insert into content_sync.change_queue (kind) values ('everything');
  elsif key_column = 'id' and tg_op = 'INSERT' then
    insert into content_sync.change_queue (kind, key) select distinct captured, id from added;
  elsif key_column = 'id' and tg_op = 'DELETE' then
    insert into content_sync.change_queue (kind, key) select distinct captured, id from removed;
  elsif key_column = 'id' then
    -- Both: a key may have changed itself.
    insert into content_sync.change_queue (kind, key) select captured, id from removed union select captured, id from added;
  elsif tg_op = 'INSERT' then
    execute format('insert into content_sync.change_queue (kind, key) select distinct %L, %I from added', captured, key_column);
  elsif tg_op = 'DELETE' then
    execute format('insert into content_sync.change_queue (kind, key) select distinct %L, %I from removed', captured, key_column);
  else
    execute format(
      'insert into content_sync.change_queue (kind, key) select %1$L, %2$I from removed union select %1$L, %2$I from added',
      captured, key_column);
  end if;
  return null;
end
$$;
