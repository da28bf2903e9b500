-- What fails is noted on the item: others go on meanwhile, and it is tried again later.
alter table content_read.sync_work
  -- Failures that no success has made up for.
  add attempts integer not null default 0,
  add last_error text,
  -- Null: at once.
  add next_try_at timestamptz,
  -- Of single rows that failed: which kind they are.
  add kind text,
  drop constraint sync_work_scope_check,
  add constraint sync_work_scope_check
    check (scope in ('categories', 'tags', 'websites', 'everything', 'check', 'rows')),
  add constraint sync_work_kind_check check ((scope = 'rows') = (kind is not null));
