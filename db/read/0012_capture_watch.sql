-- What the change capture in the dashboard's database looked like when it was last whole, and whether it has been otherwise since: kept here, so
-- that what happened while no worker ran is noticed, too.
alter table content_read.sync_leader
  add column capture_seen jsonb,
  add column capture_is_broken boolean not null default false;
