-- Grants the sync worker exactly the permissions that it needs in the dashboard's database: to read eight tables, and to remove changes from
-- its own queue or to replace them.
--
--   psql "$WRITE_DATABASE_URL" -v ON_ERROR_STOP=1 -v role=sync_worker -f db/grants/sync-worker-in-dashboard.sql
--
-- Run it as the owner of the tables, after `npm run migrate` (which also needs the owner, not the worker), and again after a
-- `migrate --remove-capture`. Create the role first: `create role sync_worker login password '…'`. The script makes all changes or none.
--
-- This is for the reference schema. For a mapped dashboard (docs/dashboards.md), `npm run migrate -- --explain` prints the grants instead.
--
-- If these tables have row-level security, the role also needs BYPASSRLS: the worker refuses to work with a part of the rows.

begin;

grant usage on schema public, content_sync to :"role";
grant select on
  public.organizations, public.websites, public.blogs, public.categories, public.tags,
  public.blog_categories, public.blog_tags, public.api_keys
  to :"role";
grant select, insert, delete on content_sync.change_queue to :"role";

commit;
