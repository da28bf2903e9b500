-- After a failover all generations are raised, some at a time: those that were raised last first.
alter table content_read.sync_work
  drop constraint sync_work_scope_check,
  add constraint sync_work_scope_check
    check (scope in ('categories', 'tags', 'websites', 'apiKeys', 'generations', 'everything', 'check', 'rows'));
