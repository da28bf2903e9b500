-- A statement trigger fires for the table that a statement names, and not for its partitions and other children: each of those has triggers of
-- its own, for what is written into it by its own name.

-- The captured tables with all that inherits from them, in any depth.
create function content_sync.captured_relations() returns table (captured text, relation oid, is_foreign boolean)
language sql stable set search_path = pg_catalog, pg_temp as $$
  with recursive family as (
    select table_name, to_regclass(format('public.%I', table_name))::oid as relation from content_sync.captured_tables
    union
    select table_name, inhrelid from family join pg_inherits on inhparent = family.relation
  )
  select table_name, family.relation, relkind = 'f' from family join pg_class on pg_class.oid = family.relation
$$;
revoke all on function content_sync.captured_relations() from public;

drop function content_sync.ensure_capture(text);

-- As before, for one of these relations: a transaction for each.
create function content_sync.ensure_capture(captured text, relation oid) returns integer language plpgsql
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms' as $$
declare
  wanted record;
  mended integer := 0;
begin
  for wanted in
    select 'content_sync_' || lower(event) as name, format(
      'TRIGGER content_sync_%s AFTER %s ON %I.%I %sFOR EACH STATEMENT EXECUTE FUNCTION content_sync.capture(%L, %L)',
      lower(event), event, nspname, relname, transition_tables, kind, key_column) as definition
    from content_sync.captured_tables cross join (values
      ('INSERT', 'REFERENCING NEW TABLE AS added '),
      ('UPDATE', 'REFERENCING OLD TABLE AS removed NEW TABLE AS added '),
      ('DELETE', 'REFERENCING OLD TABLE AS removed '),
      ('TRUNCATE', '')
    ) as events (event, transition_tables)
    cross join pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where table_name = captured and pg_class.oid = relation
  loop
    -- PostgreSQL tells a trigger in the very words that make it.
    continue when exists (
      select from pg_trigger
      where tgrelid = relation and tgname = wanted.name and tgenabled = 'A'
        and pg_get_triggerdef(oid) = 'CREATE ' || wanted.definition
    );
    execute 'CREATE OR REPLACE ' || wanted.definition;
    -- Also where a restore or a replication tool writes, with `session_replication_role` set to `replica`.
    execute format('alter table %s enable always trigger %I', relation::regclass, wanted.name);
    mended := mended + 1;
  end loop;
  if mended > 0 then
    insert into content_sync.change_queue (kind) values ('everything');
  end if;
  return mended;
end
$$;
revoke all on function content_sync.ensure_capture(text, oid) from public;
