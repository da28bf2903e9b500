-- The read model on MariaDB. The sync worker writes it, the API reads it.
--
-- What is compared exactly (ids, slugs, hashes, folded titles) is held as the bytes of its UTF-8: these are compared without regard to any
-- collation, and sort by code point. What is only shown is utf8mb4 text. Times are milliseconds since 1970, generations microseconds.

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

-- Published blogs as they are shown. `categories` and `tags` are JSON: [{"id", "name", "slug"}], in order.
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

-- What lists are made of, in their order: a search looks at each title, and does not read contents for that.
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

-- What blogs are found by: a row for each category and tag of each blog.
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

-- Rows of the dashboard that cannot be shown as they are. An id of these may be as long as any index lets it be.
create table if not exists rows_set_aside (
  kind enum('apiKeys', 'categories', 'tags', 'blogs') not null,
  id varbinary(3000) not null,
  reason mediumtext not null,
  since datetime(6) not null default utc_timestamp(6),
  primary key (kind, id)
) engine = InnoDB default charset = utf8mb4;

-- Websites that no longer belong to an organization which has, or shows, something of them still.
create table if not exists hidden_websites (
  organization_id varbinary(500) not null,
  website_id varbinary(500) not null,
  -- The work that rewrites whatever shows a term of it.
  until_work bigint,
  primary key (organization_id, website_id)
) engine = InnoDB;

-- Work that takes more than one step. What is finished is deleted.
create table if not exists sync_work (
  id bigint auto_increment primary key,
  scope varchar(20) not null,
  kind varchar(20),
  -- JSON, as is `progress`; null: the scope has none. Progress is null until the work has begun.
  work_keys longtext,
  progress mediumtext,
  attempts int not null default 0,
  last_error mediumtext,
  next_try_at datetime(6),
  index by_scope (scope, id)
) engine = InnoDB default charset = utf8mb4 collate = utf8mb4_bin;

-- Who leads. A write counts only under the present epoch, and on the connection that claimed it.
create table if not exists sync_lead (
  only_row tinyint primary key default 1 check (only_row = 1),
  epoch bigint not null,
  connection_id bigint,
  beat_at datetime(6),
  -- What the change capture of the dashboard looked like: JSON; null: nobody has looked yet.
  capture_seen mediumtext,
  capture_is_broken boolean not null default false
) engine = InnoDB default charset = utf8mb4;

-- Which databases were synced before.
create table if not exists known_databases (
  name enum('dashboard', 'readTables') primary key,
  system_identifier mediumblob not null,
  database_oid mediumblob not null,
  timeline bigint not null
) engine = InnoDB;

-- Which read model it is: what programs keep of it elsewhere has this in its name. Whoever restores a copy of it beside the first one gives that
-- a row of its own.
create table if not exists installation (
  only_row tinyint primary key default 1 check (only_row = 1),
  id varchar(36) not null default uuid()
) engine = InnoDB;

insert ignore into installation () values ();

-- A read model that was never filled: that comes first. The check goes on for ever.
insert into sync_work (scope) select 'everything' where not exists (select 1 from sync_lead);
insert into sync_work (scope) select 'check' where not exists (select 1 from sync_lead);
insert ignore into sync_lead (epoch) values (0);
