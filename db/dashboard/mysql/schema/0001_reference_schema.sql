-- The dashboard's write database as this service knows it, for MariaDB and MySQL: for demos and tests. A real dashboard brings its own.
-- Ids and slugs are told apart to the byte. Times are UTC.

create table if not exists organizations (
  id varchar(255) character set utf8mb4 collate utf8mb4_bin not null primary key,
  name text character set utf8mb4 not null,
  created_at datetime(6) not null default current_timestamp(6)
) engine = innodb;

create table if not exists websites (
  id varchar(255) character set utf8mb4 collate utf8mb4_bin not null primary key,
  organization_id varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
  name text character set utf8mb4 not null,
  domain text character set utf8mb4,
  created_at datetime(6) not null default current_timestamp(6),
  key websites_by_organization (organization_id),
  constraint websites_organization foreign key (organization_id) references organizations (id) on delete cascade
) engine = innodb;

create table if not exists blogs (
  id varchar(255) character set utf8mb4 collate utf8mb4_bin not null primary key,
  website_id varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
  title mediumtext character set utf8mb4 not null,
  slug varchar(500) character set utf8mb4 collate utf8mb4_bin not null,
  excerpt mediumtext character set utf8mb4,
  meta_title mediumtext character set utf8mb4,
  meta_description mediumtext character set utf8mb4,
  featured_image_url mediumtext character set utf8mb4,
  featured_image_alt mediumtext character set utf8mb4,
  content_html longtext character set utf8mb4 not null default (''),
  word_count integer not null default 0,
  reading_time_minutes integer not null default 0,
  status varchar(20) character set ascii not null default 'draft',
  published_at datetime(6),
  created_at datetime(6) not null default current_timestamp(6),
  updated_at datetime(6) not null default current_timestamp(6),
  constraint blogs_slug_unique_in_website unique (website_id, slug),
  constraint blogs_status check (status in ('draft', 'scheduled', 'published', 'archived')),
  constraint blogs_published_has_date check (status <> 'published' or published_at is not null),
  constraint blogs_website foreign key (website_id) references websites (id) on delete cascade
) engine = innodb;

create table if not exists categories (
  id varchar(255) character set utf8mb4 collate utf8mb4_bin not null primary key,
  website_id varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
  parent_id varchar(255) character set utf8mb4 collate utf8mb4_bin,
  name text character set utf8mb4 not null,
  slug varchar(500) character set utf8mb4 collate utf8mb4_bin not null,
  description text character set utf8mb4 not null default (''),
  sort_order integer not null default 0,
  key categories_by_parent (parent_id),
  constraint categories_slug_unique_in_website unique (website_id, slug),
  constraint categories_website foreign key (website_id) references websites (id) on delete cascade,
  constraint categories_parent foreign key (parent_id) references categories (id) on delete set null
) engine = innodb;

create table if not exists tags (
  id varchar(255) character set utf8mb4 collate utf8mb4_bin not null primary key,
  website_id varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
  name text character set utf8mb4 not null,
  slug varchar(500) character set utf8mb4 collate utf8mb4_bin not null,
  color varchar(7) character set ascii not null default '#888888',
  constraint tags_color check (color regexp '^#[0-9a-fA-F]{6}$'),
  constraint tags_slug_unique_in_website unique (website_id, slug),
  constraint tags_website foreign key (website_id) references websites (id) on delete cascade
) engine = innodb;

create table if not exists blog_categories (
  blog_id varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
  category_id varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
  primary key (blog_id, category_id),
  key blog_categories_by_category (category_id),
  constraint blog_categories_blog foreign key (blog_id) references blogs (id) on delete cascade,
  constraint blog_categories_category foreign key (category_id) references categories (id) on delete cascade
) engine = innodb;

create table if not exists blog_tags (
  blog_id varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
  tag_id varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
  primary key (blog_id, tag_id),
  key blog_tags_by_tag (tag_id),
  constraint blog_tags_blog foreign key (blog_id) references blogs (id) on delete cascade,
  constraint blog_tags_tag foreign key (tag_id) references tags (id) on delete cascade
) engine = innodb;

create table if not exists api_keys (
  id varchar(255) character set utf8mb4 collate utf8mb4_bin not null primary key,
  organization_id varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
  name text character set utf8mb4 not null default (''),
  key_hash varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
  key_prefix varchar(20) character set utf8mb4 not null default '',
  expires_at datetime(6),
  revoked_at datetime(6),
  created_at datetime(6) not null default current_timestamp(6),
  key api_keys_by_organization (organization_id),
  constraint api_keys_hash_unique unique (key_hash),
  constraint api_keys_organization foreign key (organization_id) references organizations (id) on delete cascade
) engine = innodb;
