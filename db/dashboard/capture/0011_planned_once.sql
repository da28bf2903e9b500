-- As in 0003. A statement that is written here is planned once a session, and one that is put together is planned for each edit: that
-- took as long as an edit of one row takes by itself. The tables are somebody else's: a column may be named as a variable is here.
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
