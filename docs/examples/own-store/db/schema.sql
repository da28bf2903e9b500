-- The read model on MariaDB. The sync worker writes it, the API reads it.
--
-- Columns that are compared exactly (ids, slugs, hashes, folded titles) contain the bytes of their UTF-8, which are compared without a
-- collation and sort by code point. Columns that are only shown are utf8mb4 text. Times are milliseconds since 1970, generations microseconds.

create table if not exists organizations (
  organization_id varbinary(500) primary key,
  generation bigint not null,
  index by_generation (generation, organization_id)
) engine = InnoDB;

create table if not exists api_keys (
  id varbinary(500) primary key,
  organization_id varbinary(500) not null,
  hash varbinary(500) not null,
  expires_at bigint,
  revoked_at bigint,
  index by_hash (hash)
) engine = InnoDB;

create table if not exists categories (
  id varbinary(500) primary key,
  organization_id varbinary(500) not null,
  website_id varbinary(500) not null,
  name mediumtext not null,
  slug varbinary(1000) not null,
  description mediumtext not null,
  parent_id varbinary(500),
  sort_order int not null,
  index by_organization (organization_id, website_id),
  index by_website (website_id, organization_id)
) engine = InnoDB default charset = utf8mb4;

create table if not exists tags (
  id varbinary(500) primary key,
  organization_id varbinary(500) not null,
  website_id varbinary(500) not null,
  name mediumtext not null,
  slug varbinary(1000) not null,
  color mediumtext not null,
  index by_organization (organization_id, website_id),
  index by_website (website_id, organization_id)
) engine = InnoDB default charset = utf8mb4;

-- Published blogs, as the API shows them. `categories` and `tags` are JSON: [{"id", "name", "slug"}], in order.
create table if not exists blogs (
  id varbinary(500) primary key,
  organization_id varbinary(500) not null,
  website_id varbinary(500) not null,
  title mediumtext not null,
  folded_title mediumblob not null,
  slug varbinary(1000) not null,
  excerpt mediumtext,
  meta_title mediumtext,
  meta_description mediumtext,
  featured_image_url mediumtext,
  featured_image_alt mediumtext,
  content_html mediumtext not null,
  word_count int not null,
  reading_time_minutes int not null,
  published_at bigint not null,
  categories mediumtext not null,
  tags mediumtext not null,
  index by_slug (organization_id, website_id, slug)
) engine = InnoDB default charset = utf8mb4;

-- The rows of lists, in their order. A search reads each title here, without the contents.
create table if not exists blog_entries (
  organization_id varbinary(500) not null,
  published_at bigint not null,
  id varbinary(500) not null,
  website_id varbinary(500) not null,
  folded_title mediumblob not null,
  primary key (organization_id, published_at, id),
  index by_website (website_id, organization_id, published_at, id),
  foreign key (id) references blogs (id) on delete cascade
) engine = InnoDB;

-- For filters: a row for each category and tag of each blog.
create table if not exists blog_terms (
  blog_id varbinary(500) not null,
  kind enum('categories', 'tags') not null,
  place int not null,
  organization_id varbinary(500) not null,
  id varbinary(500) not null,
  slug varbinary(1000) not null,
  primary key (blog_id, kind, place),
  index by_slug (organization_id, kind, slug, blog_id),
  foreign key (blog_id) references blogs (id) on delete cascade
) engine = InnoDB;

-- Rows that cannot be shown. Their ids may be longer than those of other rows: up to the maximum of any index.
create table if not exists unshown_rows (
  kind enum('apiKeys', 'categories', 'tags', 'blogs') not null,
  id varbinary(3000) not null,
  reason mediumtext not null,
  cause mediumtext not null,
  since datetime(6) not null default utc_timestamp(6),
  attempts int not null,
  retry_at datetime(6) not null,
  primary key (kind, id),
  index by_retry (retry_at)
) engine = InnoDB default charset = utf8mb4;

-- Websites that no longer belong to an organization that still has rows of them, or shows their terms.
create table if not exists hidden_websites (
  organization_id varbinary(500) not null,
  website_id varbinary(500) not null,
  -- The job that rewrites the rows that show a term of it.
  until_job bigint,
  primary key (organization_id, website_id)
) engine = InnoDB;

-- Jobs. A finished job is deleted.
create table if not exists sync_jobs (
  id bigint auto_increment primary key,
  scope varchar(20) not null,
  -- JSON, like `progress`. `job_keys` is null if the scope has no keys, `progress` until the job has begun.
  job_keys longtext,
  progress mediumtext,
  attempts int not null default 0,
  last_error mediumtext,
  next_try_at datetime(6),
  index by_scope (scope, id)
) engine = InnoDB default charset = utf8mb4 collate = utf8mb4_bin;

-- The leader. A write is accepted only with the current epoch, on the connection on which it was claimed.
create table if not exists sync_lead (
  only_row tinyint primary key default 1 check (only_row = 1),
  epoch bigint not null,
  connection_id bigint,
  beat_at datetime(6),
  -- The last known state of the change capture, as JSON; null before the first check.
  capture_seen mediumtext,
  capture_is_broken boolean not null default false
) engine = InnoDB default charset = utf8mb4;

-- The databases of the last sync.
create table if not exists known_databases (
  name enum('dashboard', 'readTables') primary key,
  system_identifier mediumblob not null,
  database_oid mediumblob not null,
  timeline bigint not null
) engine = InnoDB;

-- The identity of the read model, which is a part of the key names in Redis. If you restore a copy beside the original, replace this row in
-- the copy.
create table if not exists installation (
  only_row tinyint primary key default 1 check (only_row = 1),
  id varchar(36) not null default uuid()
) engine = InnoDB;

insert ignore into installation () values ();

-- A new read model is filled first. Reconciling never ends.
insert into sync_jobs (scope) select 'everything' where not exists (select 1 from sync_lead);
insert into sync_jobs (scope) select 'reconcile' where not exists (select 1 from sync_lead);
insert ignore into sync_lead (epoch) values (0);
