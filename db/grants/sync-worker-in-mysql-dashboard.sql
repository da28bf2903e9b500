-- Grants the sync worker exactly the permissions that it needs in a dashboard on MariaDB or MySQL: to read eight tables, and to remove changes from
-- its own queue or to put them back.
--
--   mariadb --database=dashboard < db/grants/sync-worker-in-mysql-dashboard.sql
--
-- Run it as an administrator, after `npm run migrate` (which needs another user than the worker's), and again after a
-- `migrate --remove-capture`. Create the user first: `create user content_sync_worker identified by '…'`. If it has another name, replace
-- the name here.
--
-- This is for the reference schema. For a mapped dashboard (docs/dashboards.md), `npm run migrate -- --explain` prints the grants instead.

grant select on organizations to content_sync_worker;
grant select on websites to content_sync_worker;
grant select on blogs to content_sync_worker;
grant select on categories to content_sync_worker;
grant select on tags to content_sync_worker;
grant select on blog_categories to content_sync_worker;
grant select on blog_tags to content_sync_worker;
grant select on api_keys to content_sync_worker;
grant select on content_sync_identity to content_sync_worker;
grant select, insert, delete on content_sync_changes to content_sync_worker;
grant execute on procedure content_sync_facts to content_sync_worker;
