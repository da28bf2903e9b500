create or replace function content_sync.{{ name }}() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $capture$
begin
  -- Whichever row of this table changes, all others are read again.
  if tg_op = 'TRUNCATE' then
    insert into content_sync.change_queue (kind) values ('everything');
  elsif tg_op = 'INSERT' then
    insert into content_sync.change_queue (kind) select 'everything' where exists (select from added);
  elsif tg_op = 'DELETE' then
    insert into content_sync.change_queue (kind) select 'everything' where exists (select from removed);
  else
    insert into content_sync.change_queue (kind) select 'everything' where exists (select from removed) or exists (select from added);
  end if;
  return null;
end
$capture$
