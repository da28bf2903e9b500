-- Grants the API and the sync worker exactly the permissions that they need in the database of the read tables.
-- `npm run migrate -- --with-grants` runs it, or the owner of the tables, after `npm run migrate` and again after each upgrade:
--
--   psql "$READ_DATABASE_URL" -v ON_ERROR_STOP=1 -v api_role=content_api -v sync_role=content_sync_worker -f db/grants/in-read-database.sql
--
-- Create the roles first: `create role content_api login password '…'`. All workers log in as the same role, because a standby has to be able to end the
-- connection of a frozen leader. The script makes all changes or none.

begin;

grant usage on schema content_read to :"api_role", :"sync_role";

grant select on
  content_read.organizations, content_read.sync_leader, content_read.api_keys, content_read.categories, content_read.tags, content_read.blogs,
  content_read.list_entries, content_read.list_totals, content_read.titles, content_read.hidden_websites
  to :"api_role";

-- The identity of the installation, with which the key names in Redis begin.
grant select on content_read.installation to :"api_role", :"sync_role";

grant select, insert, update, delete on
  content_read.api_keys, content_read.categories, content_read.tags, content_read.blogs,
  content_read.list_entries, content_read.list_totals, content_read.titles, content_read.hidden_websites, content_read.sync_jobs,
  content_read.unshown_rows, content_read.webhook_endpoints, content_read.webhook_changes, content_read.webhook_deliveries
  to :"sync_role";
-- No delete: generations are only raised, and the row of the leader stays.
grant select, insert, update on content_read.organizations to :"sync_role";
grant select, insert, update on content_read.known_databases to :"sync_role";
grant select, insert, update on content_read.sync_leader to :"sync_role";

-- Only the names of the migrations, to check whether the tables match the program.
grant usage on schema content_read_migrations to :"api_role", :"sync_role";
grant select (name) on content_read_migrations.read_tables to :"api_role", :"sync_role";

commit;
