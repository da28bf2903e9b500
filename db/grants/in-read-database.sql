-- What the API and the sync worker need in the database of the read tables, and nothing else.
--
--   psql "$READ_DATABASE_URL" -v ON_ERROR_STOP=1 -v api_role=content_api -v sync_role=sync_worker -f db/grants/in-read-database.sql
--
-- As the owner of the tables, after `npm run migrate` (which is for an owner too), and again after each upgrade. The roles exist already:
-- `create role content_api login password '…'`. All workers log in as the same role: a standby has to be able to end a frozen leader's
-- connection. All of this is done, or nothing.

begin;

grant usage on schema content_read to :"api_role", :"sync_role";

grant select on
  content_read.organizations, content_read.api_keys, content_read.categories, content_read.tags, content_read.blogs,
  content_read.blog_shelves, content_read.term_entries, content_read.blog_entries, content_read.title_packs, content_read.pack_counts,
  content_read.hidden_websites
  to :"api_role";

-- Which installation this is: the names in Redis begin with it.
grant execute on function content_read.installation_identity() to :"api_role", :"sync_role";

grant select, insert, update, delete on
  content_read.api_keys, content_read.categories, content_read.tags, content_read.blogs,
  content_read.blog_shelves, content_read.shelf_counting, content_read.counted_shelves, content_read.term_entries, content_read.blog_entries,
  content_read.title_packs, content_read.pack_counts, content_read.hidden_websites, content_read.sync_work, content_read.rows_set_aside
  to :"sync_role";
-- Generations are raised and never forgotten, and there is one leader's row for ever.
grant select, insert, update on content_read.organizations to :"sync_role";
grant select, insert, update on content_read.known_databases to :"sync_role";
grant select, update on content_read.sync_leader to :"sync_role";

-- Whether the tables are as the program that runs needs them: the names of the migrations, and nothing else of them.
grant usage on schema content_read_migrations to :"api_role", :"sync_role";
grant select (name) on content_read_migrations.read_tables to :"api_role", :"sync_role";

commit;
