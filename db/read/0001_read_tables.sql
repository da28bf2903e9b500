-- The read model. The sync job writes it, the API reads it; nothing else does either.
--
-- The organization comes first in every key, because every query is restricted to one. Text is in the "C" collation: ids are
-- ordered by code point, and names are sorted by the domain, so that every storage agrees. Slugs are not unique here: while a
-- swap of two slugs is on its way in pieces, both rows may carry the same one for a moment.

create schema if not exists content_read;

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

create table content_read.organizations (
  organization_id text collate "C" primary key,
  generation bigint not null
);

create table content_read.api_keys (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  hash text collate "C" not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (organization_id, id)
);

-- The one look-up that cannot know its organization: it is what finds it.
create index api_keys_by_hash on content_read.api_keys (hash);

create table content_read.categories (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  website_id text collate "C" not null,
  name text collate "C" not null,
  slug text collate "C" not null,
  description text collate "C" not null,
  parent_id text collate "C",
  sort_order integer not null,
  primary key (organization_id, id)
);

create index categories_by_website on content_read.categories (organization_id, website_id);

create table content_read.tags (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  website_id text collate "C" not null,
  name text collate "C" not null,
  slug text collate "C" not null,
  color text collate "C" not null,
  primary key (organization_id, id)
);

create index tags_by_website on content_read.tags (organization_id, website_id);

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
  published_at timestamptz not null,
  -- As shown: [{"id", "name", "slug"}], in order. The slugs stand beside them for the filters.
  categories jsonb not null,
  tags jsonb not null,
  category_slugs text[] collate "C" not null,
  tag_slugs text[] collate "C" not null,
  primary key (organization_id, id)
);

create index blogs_newest on content_read.blogs (organization_id, published_at desc, id desc);
create index blogs_newest_of_website on content_read.blogs (organization_id, website_id, published_at desc, id desc);
create index blogs_by_slug on content_read.blogs (organization_id, website_id, slug);
-- Serves every combination of filters: GIN uses whichever columns a query names.
create index blogs_by_filter on content_read.blogs
  using gin (organization_id, website_id, category_slugs, tag_slugs, folded_title gin_trgm_ops);

-- The sync job knows rows by id alone: a row may have changed hands since it was written.
create index api_keys_by_id on content_read.api_keys (id);
create index categories_by_id on content_read.categories (id);
create index tags_by_id on content_read.tags (id);
create index blogs_by_id on content_read.blogs (id);
