-- The read tables. The sync worker is the only writer; the API only reads.
--
--   blogs, categories, tags, api_keys   what is shown, and what a key is judged by
--   list_entries                        in which lists a blog is, in their order
--   list_totals                         how many blogs each list has
--   titles                              what searches look at, and requests for both a category and a tag
--   organizations                       the generation of each
--   hidden_websites                     websites that have left an organization before their rows did
--   sync_leader, sync_jobs, unshown_rows, known_databases, installation: what the programs keep for themselves
--   webhook_endpoints, webhook_changes, webhook_deliveries: who is still to be told of what
--
-- A list is all blogs of an organization (its term is ''), or those with one category or tag (the term is 'category=' or 'tag=' with the slug).
-- Each of these lists also exists within each website. So a blog with two categories and a tag, all with different slugs, has one row in
-- blogs, one in titles and four in list_entries, and counts in eight totals. One transaction changes all rows of a blog and raises the
-- generation of its organization:
--
--   the title of a blog changes         its rows in blogs and titles
--   a blog gets a tag                   its rows in blogs and titles, one more row in list_entries, and two totals
--   a blog moves to another website     its rows in blogs, titles and list_entries, and the totals of both websites
--   a blog is unpublished               its rows in blogs, titles and list_entries are deleted, and its totals are lowered
--
-- What affects many blogs begins with one transaction, which also adds a job. The job rewrites the blogs in further transactions:
--
--   a category gets another name        its row in categories; then in blogs the row of each blog that shows it
--   a category gets another slug        the same; then also the rows of these blogs in titles and list_entries, and both lists' totals
--   a website changes hands             a row in hidden_websites; then its categories, tags and blogs, and other blogs that show its terms;
--                                       the row in hidden_websites is deleted last
--
-- Ids are those of the dashboard, where no two rows of a kind share one. So an id is the whole key: a row may move to another organization.
-- There are no foreign keys: a row may be written before, or remain after, those it refers to. Text has the collation "C": ids are ordered
-- by code point, and names are sorted by the program. Slugs are not unique: while two rows swap theirs, both may have the same one. Of
-- several blogs with a slug, and of several keys with a hash, the lowest id counts.

create schema if not exists content_read;

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- Each transaction that changes something of an organization raises its generation: to the microseconds since 1970, and above all that any
-- organization has. Organizations that one transaction raises may have the same.
create table content_read.organizations (
  organization_id text collate "C" primary key,
  generation bigint not null
);

-- Each API process asks ten times a second, and when it is notified, which were raised above the highest that it has seen.
create index organizations_by_generation on content_read.organizations (generation);

create table content_read.api_keys (
  organization_id text collate "C" not null,
  id text collate "C" primary key,
  hash text collate "C" not null,
  expires_at timestamptz,
  revoked_at timestamptz
);

create index api_keys_by_hash on content_read.api_keys (hash);

create table content_read.categories (
  organization_id text collate "C" not null,
  id text collate "C" primary key,
  website_id text collate "C" not null,
  name text collate "C" not null,
  slug text collate "C" not null,
  description text collate "C" not null,
  parent_id text collate "C",
  sort_order integer not null
);

create index categories_of_organization on content_read.categories (organization_id, website_id);
create index categories_of_website on content_read.categories (website_id);
create index categories_of_parent on content_read.categories (parent_id) where parent_id is not null;

create table content_read.tags (
  organization_id text collate "C" not null,
  id text collate "C" primary key,
  website_id text collate "C" not null,
  name text collate "C" not null,
  slug text collate "C" not null,
  color text collate "C" not null
);

create index tags_of_organization on content_read.tags (organization_id, website_id);
create index tags_of_website on content_read.tags (website_id);

-- A blog as it is shown. Its row is found by its id or slug: the tables below say which ids a list or a search has.
create table content_read.blogs (
  organization_id text collate "C" not null,
  id text collate "C" primary key,
  website_id text collate "C" not null,
  title text collate "C" not null,
  slug text collate "C" not null,
  excerpt text collate "C",
  meta_title text collate "C",
  meta_description text collate "C",
  featured_image_url text collate "C",
  featured_image_alt text collate "C",
  content_html text collate "C" not null,
  word_count integer not null,
  reading_time_minutes integer not null,
  published_at timestamptz not null,
  -- In the order in which they are shown: [{"id", "name", "slug"}].
  categories jsonb not null,
  tags jsonb not null
);

create index blogs_by_slug on content_read.blogs (website_id, slug, id);

-- LZ4 takes a tenth of the time of PostgreSQL's own compression, which a server without LZ4 uses.
do $$
begin
  alter table content_read.blogs alter column content_html set compression lz4;
exception when feature_not_supported or invalid_parameter_value then
  null;
end
$$;

-- A blog in a list. Lists are shown newest first. The key and the first index have the order of time, so a page is read from the nearer
-- end; they contain website_id, so that hidden websites are left out without reading the table. The other index finds a blog's entries.
create table content_read.list_entries (
  organization_id text collate "C" not null,
  term text collate "C" not null,
  website_id text collate "C" not null,
  published_at timestamptz not null,
  id text collate "C" not null,
  primary key (organization_id, term, published_at, id, website_id)
);

create index list_entries_of_website on content_read.list_entries (organization_id, website_id, term, published_at, id);
create index list_entries_by_id on content_read.list_entries (id);

-- How many rows list_entries has of each list, hidden websites included. A write changes a total by the rows that it adds to the list and
-- deletes from it. A total that falls to 0 stays until a recount deletes it. Free space in each page keeps updates cheap.
create table content_read.list_totals (
  organization_id text collate "C" not null,
  term text collate "C" not null,
  -- '' for all websites together; otherwise '=' and the id of one, because an id may be empty.
  website text collate "C" not null,
  blogs bigint not null,
  primary key (organization_id, term, website)
) with (fillfactor = 50);

-- Which organizations have, or had, blogs of a website.
create index list_totals_of_website on content_read.list_totals (website) where term = '';

-- The title of a blog, case-folded, and the other conditions that a search can have.
create table content_read.titles (
  organization_id text collate "C" not null,
  id text collate "C" primary key,
  website_id text collate "C" not null,
  published_at timestamptz not null,
  -- The terms of the list_entries of the blog, except ''.
  terms text[] collate "C" not null,
  -- What the blog shows: 'category=' or 'tag=' with the id, by which the worker finds the blogs that a category or tag has left.
  term_ids text[] collate "C" not null,
  folded_title text collate "C" not null
);

-- GIN uses whichever columns are named. It finds a part of a title by three letters or digits in a row.
create index titles_by_filter on content_read.titles using gin
  (organization_id, website_id, terms, term_ids, folded_title gin_trgm_ops);

-- Websites that an organization no longer owns, but of which it still has rows, or blogs that show their categories or tags. None of that
-- is shown.
create table content_read.hidden_websites (
  organization_id text collate "C" not null,
  website_id text collate "C" not null,
  -- The job of scope 'websites' that rewrites all of that. Finished jobs are deleted, so it is no foreign key. Null: there is none.
  until_job bigint,
  primary key (organization_id, website_id)
);

-- Which worker leads; without a row, none ever did. Each write needs the current epoch and the connection that claimed it, and sets beat_at.
create table content_read.sync_leader (
  only_row boolean primary key default true check (only_row),
  epoch bigint not null,
  backend_pid integer,
  holder text,
  -- Why the last sessions of its worker ended. Null: they did not fail.
  failure text,
  since timestamptz,
  beat_at timestamptz,
  -- The change capture in the dashboard's database, as it was at the last look. Null: it never was complete.
  capture_seen jsonb,
  capture_is_broken boolean not null default false
) with (fillfactor = 50);

-- What takes more than one step. A job continues where it was interrupted. Finished jobs are deleted, except the last of each scope and
-- of reconciling that found something.
create table content_read.sync_jobs (
  id bigint generated always as identity primary key,
  scope text not null check (scope in ('categories', 'tags', 'websites', 'apiKeys', 'allCategories', 'allTags', 'allBlogs', 'everything', 'reconcile')),
  keys text[] not null default '{}',
  requested_at timestamptz not null default clock_timestamp(),
  -- Null: not begun.
  progress jsonb,
  -- When the last step was written.
  advanced_at timestamptz,
  changed_rows bigint not null default 0,
  finished_at timestamptz,
  -- Failures that no success has made up for.
  attempts integer not null default 0,
  last_error text,
  -- Null: at once.
  next_try_at timestamptz
);

create index sync_jobs_unfinished on content_read.sync_jobs (scope, id) where finished_at is null;

-- The first job fills the tables. The worker adds one that reconciles whenever there is none.
insert into content_read.sync_jobs (scope) values ('everything'), ('reconcile');

-- Rows of the dashboard that cannot be shown as they are, whatever the reason: a value is too long, missing or invalid, the row cannot be
-- read or stored, or reading it takes too long. One that was shown before may stay in its table as it was.
create table content_read.unshown_rows (
  kind text not null,
  id text collate "C" not null,
  reason text not null,
  -- The reason without its values.
  cause text not null,
  since timestamptz not null default clock_timestamp(),
  -- How often it failed, and when it is tried again. A change of the row has it tried at once.
  attempts integer not null,
  retry_at timestamptz not null
);

-- Without a primary key, a publication of all tables would refuse updates and deletes.
alter table content_read.unshown_rows replica identity full;

-- Of the digest, because an id may be too long for an index.
create unique index unshown_rows_by_id on content_read.unshown_rows (kind, md5(id));
create index unshown_rows_by_retry on content_read.unshown_rows (retry_at);

-- The databases on which the worker last led. After a failover, rows that it wrote or read may be lost.
create table content_read.known_databases (
  name text primary key check (name in ('dashboard', 'readTables')),
  system_identifier text not null,
  database_oid bigint not null,
  -- Raised when a standby is promoted.
  timeline bigint not null,
  since timestamptz not null default clock_timestamp()
);

-- The names of what is in Redis are derived from this id and the database that has it: a restored dump is another installation.
create table content_read.installation (
  id uuid not null default gen_random_uuid(),
  is_only_row boolean primary key default true check (is_only_row)
);
insert into content_read.installation default values;

-- Who is told after a publication, as the file of WEBHOOKS says.
create table content_read.webhook_endpoints (
  -- A digest of its URL, organization and website.
  id text primary key,
  -- Null: it is told of all organizations.
  organization_id text collate "C",
  -- Null: it is told of all websites.
  website_id text collate "C",
  name text not null,
  -- When it was added: it is not told of changes up to here.
  since_generation bigint not null,
  -- A digest of the file of WEBHOOKS under which it answered 410. Null: it did not.
  gone_in text
);

-- What changed in an organization of which an endpoint is told, until it is in webhook_deliveries, half a second later.
create table content_read.webhook_changes (
  organization_id text collate "C" primary key,
  -- Of the last change.
  generation bigint not null,
  -- {"kind": "blog", "id", "slug", "websiteId"}, {"kind": "terms", "websiteId"} or {"kind": "everything", "websiteId"}, each with the
  -- "generation" that shows it. Of many changes, only the websites are kept; without one, any website may have changed.
  changes jsonb not null
);

-- What an endpoint has not accepted yet. The row of an organization that changes again gets the new generation, and its changes.
create table content_read.webhook_deliveries (
  endpoint_id text not null,
  organization_id text collate "C" not null,
  generation bigint not null,
  changes jsonb not null,
  -- Null: all is told, or it failed for a day, and waits for the next generation.
  due_at timestamptz,
  -- An endpoint that is told at most so often. Null: it was not told before, or may be told at once.
  not_before timestamptz,
  -- Failures of this row.
  attempts integer not null default 0,
  failing_since timestamptz,
  reason text,
  primary key (endpoint_id, organization_id)
);

create index webhook_deliveries_due on content_read.webhook_deliveries (endpoint_id, due_at);
