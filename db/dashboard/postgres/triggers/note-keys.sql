create or replace function content_sync.{{ name }}() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp{{ settings }} as $capture$
#variable_conflict use_column
declare
  -- With spaces, so that no column of the table has such a name.
  "kinds to note" text[];
  "keys to note" text[];
begin
  -- A TRUNCATE names no rows, so everything is read again.
  if tg_op = 'TRUNCATE' then
    insert into content_sync.change_queue (kind) values {{ everything }};
    return null;
  end if;
  -- Finds the keys of the rows, each once. They are written after this block, because a block that writes takes a transaction id of its
  -- own, of which PostgreSQL keeps 64 in memory.
  begin
    if tg_op = 'INSERT' then
      select array_agg(kind), array_agg(key) into "kinds to note", "keys to note" from (select distinct * from (
        {{ keys of added rows }}
      ) as touched) as once (kind, key);
    elsif tg_op = 'DELETE' then
      select array_agg(kind), array_agg(key) into "kinds to note", "keys to note" from (select distinct * from (
        {{ keys of removed rows }}
      ) as touched) as once (kind, key);
    else
      -- Of the rows before and after, because a key may have changed itself.
      select array_agg(kind), array_agg(key) into "kinds to note", "keys to note" from (select distinct * from (
        {{ keys of removed rows }}
        union all {{ keys of added rows }}
      ) as touched) as once (kind, key);
    end if;
  exception when others then
    -- A key that fails must not fail the dashboard's write, so everything is read again. Only an error of the server or of the moment fails
    -- the write.
    if left(sqlstate, 2) in ('40', '53', '57', '58') or sqlstate = '55P03' then raise; end if;
    raise warning 'a key of the mapping failed for a change of {{ table in a text }}, so that everything is read anew: %', sqlerrm
      using hint = 'Correct the keys under captures in the file that DASHBOARD_MAPPING names, then run npm run migrate.';
    insert into content_sync.change_queue (kind) values {{ everything }};
    return null;
  end;
  -- In order, because rows with neighbouring keys share pages of indexes.
  if "keys to note" is not null then
    insert into content_sync.change_queue (kind, key)
      select kind, key from unnest("kinds to note", "keys to note") as touched (kind, key) where key is not null order by key;
  end if;
  return null;
end
$capture$
