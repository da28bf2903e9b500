-- What the sync worker needs in a dashboard on MariaDB or MySQL, and nothing else: it reads eight tables, and takes changes out of its own queue, or puts back what it took.
--
--   mariadb --database=dashboard < db/grants/sync-worker-in-mysql-dashboard.sql
--
-- As an administrator, after `npm run migrate` (which is not for the worker's user), and again after a `migrate --remove-capture`.
-- The user exists already: `create user content_sync_worker identified by '…'`. With another name, put that in place of this one.
--
-- For a dashboard that is mapped (docs/dashboards.md), `npm run migrate -- --explain` prints the grants on its own tables instead.

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
grant select, insert, delete on content_sync_acknowledged to content_sync_worker;
grant execute on procedure content_sync_facts to content_sync_worker;
