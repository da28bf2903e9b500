-- What the sync worker needs in the dashboard's database, and nothing else: it reads eight tables, and takes changes out of its own queue, or puts back what it took.
--
--   psql "$WRITE_DATABASE_URL" -v ON_ERROR_STOP=1 -v role=sync_worker -f db/grants/sync-worker-in-dashboard.sql
--
-- As the owner of the tables, after `npm run migrate` (which is for an owner too, not for the worker), and again after a
-- `migrate --remove-capture`. The role exists already: `create role sync_worker login password '…'`. All of this is done, or nothing.
--
-- For a dashboard that is mapped (docs/dashboards.md), `npm run migrate -- --explain` prints the grants on its own tables instead.
--
-- Where these tables have row-level security, the role also needs BYPASSRLS: the worker refuses to work on part of the rows.

begin;

grant usage on schema public, content_sync to :"role";
grant select on
  public.organizations, public.websites, public.blogs, public.categories, public.tags,
  public.blog_categories, public.blog_tags, public.api_keys
  to :"role";
grant select, delete on content_sync.change_queue to :"role";
grant execute on function content_sync.acknowledge(bigint[]), content_sync.replay_acknowledged(interval) to :"role";

commit;
