-- What changed in the dashboard's tables, as keys: the sync worker reads the rows themselves, as they are when it gets there.
--
-- Statement triggers with transition tables see single edits and bulk statements, MERGE, COPY and cascades alike, at the cost of one
-- short insert a statement. No NOTIFY: it takes a lock of the whole server at commit, and refuses PREPARE TRANSACTION.

create table content_sync.change_queue (
  id bigint generated always as identity primary key,
  -- The table of the row; for a link between two rows, the one that shows it. `everything`: no key says what is gone.
  kind text not null,
  key text,
  at timestamptz not null default clock_timestamp()
) with (
  -- Filled and emptied all day: left to the defaults, looking for its oldest row would get slower until the nightly vacuum.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 1000
);

-- Keys of API keys are taken before all others.
create index change_queue_of_api_keys on content_sync.change_queue (id) where kind = 'api_keys';

-- Runs as its owner, so that a role of the dashboard needs no right on this schema, and looks nowhere but where it says.
create function content_sync.capture() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  kind constant text := tg_argv[0];
  key_column constant text := tg_argv[1];
begin
  if tg_op = 'TRUNCATE' then
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
revoke all on function content_sync.capture() from public;

-- Which column of which table is a key, and of what.
create table content_sync.captured_tables (
  table_name text primary key,
  kind text not null,
  key_column text not null
);
insert into content_sync.captured_tables (table_name, kind, key_column) values
  ('organizations', 'organizations', 'id'),
  ('websites', 'websites', 'id'),
  ('blogs', 'blogs', 'id'),
  ('categories', 'categories', 'id'),
  ('tags', 'tags', 'id'),
  ('blog_categories', 'blogs', 'blog_id'),
  ('blog_tags', 'blogs', 'blog_id'),
  ('api_keys', 'api_keys', 'id');

-- Puts every trigger of a table in place that is missing, switched off or another one by now, and answers how many: what happened without
-- them is unknown, so all is read anew then. `npm run migrate` calls it each time, in a transaction for each table: with locks on two of
-- them it could meet a writer that has them the other way round. It would rather fail than let the writers wait behind it for long.
create function content_sync.ensure_capture(captured text) returns integer language plpgsql
set search_path = pg_catalog, pg_temp
set lock_timeout = '500ms' as $$
declare
  wanted record;
  mended integer := 0;
begin
  for wanted in
    select 'content_sync_' || lower(event) as name, format(
      'TRIGGER content_sync_%s AFTER %s ON public.%I %sFOR EACH STATEMENT EXECUTE FUNCTION content_sync.capture(%L, %L)',
      lower(event), event, table_name, transition_tables, kind, key_column) as definition
    from content_sync.captured_tables cross join (values
      ('INSERT', 'REFERENCING NEW TABLE AS added '),
      ('UPDATE', 'REFERENCING OLD TABLE AS removed NEW TABLE AS added '),
      ('DELETE', 'REFERENCING OLD TABLE AS removed '),
      ('TRUNCATE', '')
    ) as events (event, transition_tables)
    where table_name = captured
  loop
    -- PostgreSQL tells a trigger in the very words that make it.
    continue when exists (
      select from pg_trigger
      where tgrelid = format('public.%I', captured)::regclass and tgname = wanted.name and tgenabled = 'A'
        and pg_get_triggerdef(oid) = 'CREATE ' || wanted.definition
    );
    execute 'CREATE OR REPLACE ' || wanted.definition;
    -- Also where a restore or a replication tool writes, with `session_replication_role` set to `replica`.
    execute format('alter table public.%I enable always trigger %I', captured, wanted.name);
    mended := mended + 1;
  end loop;
  if mended > 0 then
    insert into content_sync.change_queue (kind) values ('everything');
  end if;
  return mended;
end
$$;
revoke all on function content_sync.ensure_capture(text) from public;
