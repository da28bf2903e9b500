-- The tables, views and functions of the schema content_read, as all migrations in db/read create them together. `npm run tables:report`
-- writes this file from PostgreSQL's catalog; a test compares it. To create them, run `npm run migrate`.

-- API keys, by their hash.
create table content_read.api_keys (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  hash text collate "C" not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX api_keys_by_hash ON content_read.api_keys USING btree (hash);
CREATE INDEX api_keys_by_id ON content_read.api_keys USING btree (id);

-- What blogs are found by: a narrow row for each.
create table content_read.blog_entries (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  website_id text collate "C" not null,
  published_at timestamp with time zone not null,
  category_slugs text[] collate "C" not null,
  tag_slugs text[] collate "C" not null,
  folded_title text collate "C" not null,
  letters text collate "C" not null,
  repeats boolean not null,
  pack integer not null,
  constraint blog_entries_pkey PRIMARY KEY (id, organization_id)
);
CREATE INDEX blog_entries_by_filter ON content_read.blog_entries USING gin (organization_id, website_id, category_slugs, tag_slugs, folded_title gin_trgm_ops);
CREATE INDEX blog_entries_by_pack ON content_read.blog_entries USING btree (pack, website_id, organization_id);

-- How many blogs each list has, in blocks of up to 1,024 blogs of one list, with the place where each block begins.
create table content_read.blog_list_counts (
  organization_id text collate "C" not null,
  website text collate "C" not null,
  term text collate "C" not null,
  from_published_at timestamp with time zone not null,
  from_id text collate "C" not null,
  blogs bigint not null,
  constraint blog_list_counts_pkey PRIMARY KEY (organization_id, website, term, from_published_at, from_id)
) with (fillfactor=50);
CREATE INDEX blog_list_counts_by_website ON content_read.blog_list_counts USING btree (website, organization_id) WHERE (term = ''::text);
CREATE CONSTRAINT TRIGGER tidy_block AFTER INSERT OR UPDATE OF blogs ON content_read.blog_list_counts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.blogs = 0) OR (new.blogs > 1024))) EXECUTE FUNCTION content_read.tidy_block();

-- Published blogs, as they are shown.
create table content_read.blogs (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  website_id text collate "C" not null,
  title text collate "C" not null,
  folded_title text collate "C" not null,
  slug text collate "C" not null,
  excerpt text collate "C",
  meta_title text collate "C",
  meta_description text collate "C",
  featured_image_url text collate "C",
  featured_image_alt text collate "C",
  content_html text collate "C" not null,
  word_count integer not null,
  reading_time_minutes integer not null,
  published_at timestamp with time zone not null,
  categories jsonb not null,
  tags jsonb not null,
  category_slugs text[] collate "C" not null,
  tag_slugs text[] collate "C" not null,
  constraint blogs_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX blogs_by_id ON content_read.blogs USING btree (id);
CREATE INDEX blogs_by_slug ON content_read.blogs USING btree (organization_id, website_id, slug);
CREATE INDEX blogs_newest_first ON content_read.blogs USING btree (organization_id, published_at DESC, id DESC) INCLUDE (website_id);
CREATE INDEX blogs_newest_of_website ON content_read.blogs USING btree (organization_id, website_id, published_at DESC, id DESC);
CREATE TRIGGER at_first_after_delete AFTER DELETE ON content_read.blogs FOR EACH STATEMENT EXECUTE FUNCTION content_read.lock_shelves();
CREATE TRIGGER at_first_after_insert AFTER INSERT ON content_read.blogs FOR EACH STATEMENT EXECUTE FUNCTION content_read.lock_shelves();
CREATE TRIGGER at_first_after_update AFTER UPDATE ON content_read.blogs FOR EACH STATEMENT EXECUTE FUNCTION content_read.lock_shelves();
CREATE TRIGGER clear_shelves AFTER TRUNCATE ON content_read.blogs FOR EACH STATEMENT EXECUTE FUNCTION content_read.clear_shelves();
CREATE TRIGGER clear_term_entries AFTER TRUNCATE ON content_read.blogs FOR EACH STATEMENT EXECUTE FUNCTION content_read.clear_term_entries();
CREATE TRIGGER clear_titles AFTER TRUNCATE ON content_read.blogs FOR EACH STATEMENT EXECUTE FUNCTION content_read.clear_titles();
CREATE TRIGGER count_added AFTER INSERT ON content_read.blogs REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION content_read.count_on_shelves();
CREATE TRIGGER count_moved AFTER UPDATE ON content_read.blogs REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION content_read.count_on_shelves();
CREATE TRIGGER count_removed AFTER DELETE ON content_read.blogs REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION content_read.count_on_shelves();
CREATE TRIGGER enter_terms_added AFTER INSERT ON content_read.blogs REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION content_read.enter_added_terms();
CREATE TRIGGER enter_terms_moved AFTER UPDATE ON content_read.blogs REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION content_read.enter_terms();
CREATE TRIGGER enter_terms_removed AFTER DELETE ON content_read.blogs REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION content_read.enter_terms();
CREATE TRIGGER enter_titles_added AFTER INSERT ON content_read.blogs REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION content_read.enter_added_titles();
CREATE TRIGGER enter_titles_changed AFTER UPDATE ON content_read.blogs REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION content_read.enter_titles();
CREATE TRIGGER enter_titles_removed AFTER DELETE ON content_read.blogs REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION content_read.enter_titles();

-- Categories.
create table content_read.categories (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  website_id text collate "C" not null,
  name text collate "C" not null,
  slug text collate "C" not null,
  description text collate "C" not null,
  parent_id text collate "C",
  sort_order integer not null,
  constraint categories_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX categories_by_id ON content_read.categories USING btree (id);
CREATE INDEX categories_by_website ON content_read.categories USING btree (organization_id, website_id);
CREATE INDEX categories_of_website ON content_read.categories USING btree (website_id, organization_id);

-- Websites that no longer belong to an organization that still has rows of them.
create table content_read.hidden_websites (
  organization_id text collate "C" not null,
  website_id text collate "C" not null,
  until_work bigint,
  constraint hidden_websites_pkey PRIMARY KEY (organization_id, website_id)
);

-- The identity of these read tables, from which the key names in Redis are made.
create table content_read.installation (
  id uuid default gen_random_uuid() not null,
  is_only_row boolean default true not null,
  constraint installation_pkey PRIMARY KEY (is_only_row),
  constraint installation_is_only_row_check CHECK (is_only_row)
);

-- The databases that the worker last worked with, to notice a failover or another dashboard.
create table content_read.known_databases (
  name text not null,
  system_identifier text not null,
  database_oid bigint not null,
  timeline bigint not null,
  since timestamp with time zone default clock_timestamp() not null,
  constraint known_databases_pkey PRIMARY KEY (name),
  constraint known_databases_name_check CHECK ((name = ANY (ARRAY['dashboard'::text, 'readTables'::text])))
);

-- The generation of each organization, which grows with every change of its content or keys.
create table content_read.organizations (
  organization_id text collate "C" not null,
  generation bigint not null,
  constraint organizations_pkey PRIMARY KEY (organization_id)
);
CREATE INDEX organizations_by_generation ON content_read.organizations USING btree (generation);

-- In how many titles of a pack each letter and each frequent word occurs.
create table content_read.pack_counts (
  organization_id text collate "C" not null,
  website_id text collate "C" not null,
  pack integer not null,
  blogs integer not null,
  titles_with jsonb,
  constraint pack_counts_pkey PRIMARY KEY (organization_id, website_id, pack)
) with (toast_tuple_target=8160);

-- Rows of the dashboard that cannot be shown, and why.
create table content_read.quarantined_rows (
  kind text not null,
  id text collate "C" not null,
  reason text not null,
  since timestamp with time zone default clock_timestamp() not null,
  tried_at timestamp with time zone default clock_timestamp() not null
);
CREATE UNIQUE INDEX quarantined_rows_by_id ON content_read.quarantined_rows USING btree (kind, md5(id));

-- How far the recount of an organization has come.
create table content_read.recount_progress (
  organization_id text collate "C" not null,
  phase text default 'blogs'::text not null,
  id text collate "C",
  website text collate "C",
  term text collate "C",
  from_published_at timestamp with time zone,
  from_id text collate "C",
  constraint recount_progress_pkey PRIMARY KEY (organization_id),
  constraint recount_progress_phase_check CHECK ((phase = ANY (ARRAY['blogs'::text, 'lists'::text, 'blocks'::text])))
);

-- The counts of a recount in progress.
create table content_read.recounted_lists (
  organization_id text collate "C" not null,
  website text collate "C" not null,
  term text collate "C" not null,
  blogs bigint not null,
  constraint recounted_lists_pkey PRIMARY KEY (organization_id, website, term)
) with (fillfactor=50);

-- The job queue of the worker.
create table content_read.sync_jobs (
  id bigint generated always as identity not null,
  scope text not null,
  keys text[] default '{}'::text[] not null,
  requested_at timestamp with time zone default clock_timestamp() not null,
  progress jsonb,
  changed_rows bigint default 0 not null,
  changed_at timestamp with time zone,
  finished_at timestamp with time zone,
  attempts integer default 0 not null,
  last_error text,
  next_try_at timestamp with time zone,
  kind text,
  constraint sync_jobs_pkey PRIMARY KEY (id),
  constraint sync_jobs_kind_check CHECK (((scope = 'rows'::text) = (kind IS NOT NULL))),
  constraint sync_jobs_scope_check CHECK ((scope = ANY (ARRAY['categories'::text, 'tags'::text, 'websites'::text, 'apiKeys'::text, 'generations'::text, 'everything'::text, 'check'::text, 'rows'::text])))
);
CREATE INDEX sync_jobs_unfinished ON content_read.sync_jobs USING btree (scope, id) WHERE (finished_at IS NULL);

-- The worker that leads, its epoch, and what it knows of the change capture.
create table content_read.sync_leader (
  only_row boolean default true not null,
  epoch bigint not null,
  backend_pid integer,
  holder text,
  since timestamp with time zone,
  beat_at timestamp with time zone,
  capture_seen jsonb,
  capture_is_broken boolean default false not null,
  constraint sync_leader_pkey PRIMARY KEY (only_row),
  constraint sync_leader_only_row_check CHECK (only_row)
) with (fillfactor=50);

-- Tags.
create table content_read.tags (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  website_id text collate "C" not null,
  name text collate "C" not null,
  slug text collate "C" not null,
  color text collate "C" not null,
  constraint tags_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX tags_by_id ON content_read.tags USING btree (id);
CREATE INDEX tags_by_website ON content_read.tags USING btree (organization_id, website_id);
CREATE INDEX tags_of_website ON content_read.tags USING btree (website_id, organization_id);

-- The blogs of each category and tag, in the order of its list.
create table content_read.term_entries (
  organization_id text collate "C" not null,
  term text collate "C" not null,
  website_id text collate "C" not null,
  published_at timestamp with time zone not null,
  id text collate "C" not null,
  constraint term_entries_pkey PRIMARY KEY (organization_id, term, published_at, id)
);
CREATE INDEX term_entries_of_website ON content_read.term_entries USING btree (organization_id, website_id, term, published_at, id);

-- The titles of about a hundred blogs in one row, for searches that find many.
create table content_read.title_packs (
  organization_id text collate "C" not null,
  website_id text collate "C" not null,
  pack integer not null,
  titles text collate "C" not null,
  repetitive_titles text collate "C" not null,
  letters text collate "C" not null,
  blogs integer not null,
  constraint title_packs_pkey PRIMARY KEY (organization_id, website_id, pack)
) with (toast_tuple_target=8160);
CREATE INDEX title_packs_sampled ON content_read.title_packs USING btree (organization_id, website_id) WHERE ((pack % 128) = 64);

-- Former names of tables, which stay until version 3: see docs/adr/0031-renamed-tables-keep-a-view.md.
create view content_read.blog_shelves as select * from content_read.blog_list_counts;
create view content_read.counted_shelves as select * from content_read.recounted_lists;
create view content_read.rows_set_aside as select * from content_read.quarantined_rows;
create view content_read.shelf_counting as select * from content_read.recount_progress;
create view content_read.sync_work as select * from content_read.sync_jobs;

-- Types of parameters of functions.
create type content_read.pack_name as (organization_id text, website_id text, pack integer);

-- Functions, with the migration that has the newest body.
-- blogs_between(asked text, website text, from_published_at timestamp with time zone, from_id text, to_published_at timestamp with time zone, to_id text, most bigint) returns bigint: 0013_totals_counted_in_stretches.sql
-- clear_shelves() returns trigger: 0031_names_of_the_glossary.sql
-- clear_term_entries() returns trigger: 0015_term_entries.sql
-- clear_titles() returns trigger: 0021_pack_counts.sql
-- compare_more_lists(asked text, most integer, OUT wrong bigint, OUT is_last boolean) returns record: 0031_names_of_the_glossary.sql
-- count_more_blocks(asked text, most integer, OUT wrong bigint, OUT is_last boolean) returns record: 0031_names_of_the_glossary.sql
-- count_more_blogs(asked text, most integer) returns boolean: 0031_names_of_the_glossary.sql
-- count_on_shelves() returns trigger: 0031_names_of_the_glossary.sql
-- count_packs(asked content_read.pack_name[]) returns void: 0021_pack_counts.sql
-- counts_of_pack(titles text, repetitive_titles text, letters text) returns jsonb: 0021_pack_counts.sql
-- enter_added_terms() returns trigger: 0025_many_new_blogs_at_once.sql
-- enter_added_titles() returns trigger: 0025_many_new_blogs_at_once.sql
-- enter_terms() returns trigger: 0019_new_blogs_are_entered.sql
-- enter_titles() returns trigger: 0029_one_look_up_for_longer_titles.sql
-- has_three_letters_twice(title text) returns boolean: 0016_title_packs.sql, as repeats_itself
-- installation_identity() returns text: 0005_installation.sql
-- letters_of(title text) returns text: 0016_title_packs.sql
-- lock_shelves() returns trigger: 0010_recounted_shelves.sql
-- pack_titles(asked content_read.pack_name[]) returns void: 0021_pack_counts.sql
-- put_titles_together(asked content_read.pack_name[]) returns void: 0016_title_packs.sql, as pack_titles
-- recount(asked text, most integer, OUT wrong bigint, OUT is_over boolean) returns record: 0031_names_of_the_glossary.sql
-- recount_several(asked text[], most integer) returns TABLE(organization text, wrong bigint, is_over boolean): 0020_totals_of_several_organizations.sql
-- repeats_itself(title text) returns boolean: 0030_repetitions_in_any_title.sql
-- shelves_of(website_id text, category_slugs text[], tag_slugs text[]) returns TABLE(website text, term text): 0015_term_entries.sql
-- terms_of(category_slugs text[], tag_slugs text[]) returns TABLE(term text): 0015_term_entries.sql
-- tidy_block() returns trigger: 0031_names_of_the_glossary.sql
-- title_separator() returns text: 0016_title_packs.sql
