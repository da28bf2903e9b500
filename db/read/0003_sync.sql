-- What the sync worker keeps beside the rows: in this database, so that it commits together with them.

-- Who leads. A write counts only under the present epoch and on the connection that claimed it.
create table content_read.sync_leader (
  only_row boolean primary key default true check (only_row),
  epoch bigint not null,
  backend_pid integer,
  holder text,
  since timestamptz,
  beat_at timestamptz
) with (fillfactor = 50);
insert into content_read.sync_leader (epoch) values (0);

-- What takes more than one step: all that depends on some rows, or everything. Goes on where it was left.
create table content_read.sync_work (
  id bigint generated always as identity primary key,
  scope text not null check (scope in ('categories', 'tags', 'websites', 'everything', 'check')),
  keys text[] not null default '{}',
  requested_at timestamptz not null default clock_timestamp(),
  -- Null: not begun.
  progress jsonb,
  changed_rows bigint not null default 0,
  changed_at timestamptz,
  finished_at timestamptz
);
create index sync_work_unfinished on content_read.sync_work (scope, id) where finished_at is null;
-- Read tables that were never filled: that comes first. The check goes on for ever.
insert into content_read.sync_work (scope) values ('everything'), ('check');

-- Rows of the dashboard that cannot be shown as they are.
create table content_read.rows_set_aside (
  kind text not null,
  id text collate "C" not null,
  reason text not null,
  since timestamptz not null default clock_timestamp(),
  tried_at timestamptz not null default clock_timestamp()
);
-- Of the digest: what is set aside may be an id that no index can hold.
create unique index rows_set_aside_by_id on content_read.rows_set_aside (kind, md5(id));
