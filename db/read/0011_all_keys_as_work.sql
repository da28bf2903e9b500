-- All API keys are read anew by themselves where no change names them, as after a TRUNCATE: they wait for nothing else.
alter table content_read.sync_work
  drop constraint sync_work_scope_check,
  add constraint sync_work_scope_check check (scope in ('categories', 'tags', 'websites', 'apiKeys', 'everything', 'check', 'rows'));
