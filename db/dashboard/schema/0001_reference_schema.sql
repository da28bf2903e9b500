-- The dashboard's write database as this service knows it: for demos and tests. A real dashboard brings its own.

create table public.organizations (
  id text primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table public.websites (
  id text primary key,
  organization_id text not null references public.organizations on delete cascade,
  name text not null,
  domain text,
  created_at timestamptz not null default now()
);
create index websites_by_organization on public.websites (organization_id);

create table public.blogs (
  id text primary key,
  website_id text not null references public.websites on delete cascade,
  title text not null,
  slug text not null,
  excerpt text,
  meta_title text,
  meta_description text,
  featured_image_url text,
  featured_image_alt text,
  content_html text not null default '',
  word_count integer not null default 0,
  reading_time_minutes integer not null default 0,
  status text not null default 'draft' check (status in ('draft', 'scheduled', 'published', 'archived')),
  published_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint blogs_slug_unique_in_website unique (website_id, slug) deferrable,
  constraint blogs_published_has_date check (status <> 'published' or published_at is not null)
);

create table public.categories (
  id text primary key,
  website_id text not null references public.websites on delete cascade,
  parent_id text references public.categories on delete set null,
  name text not null,
  slug text not null,
  description text not null default '',
  sort_order integer not null default 0,
  constraint categories_slug_unique_in_website unique (website_id, slug) deferrable
);
create index categories_by_parent on public.categories (parent_id);

create table public.tags (
  id text primary key,
  website_id text not null references public.websites on delete cascade,
  name text not null,
  slug text not null,
  color text not null default '#888888' check (color ~ '^#[0-9a-fA-F]{6}$'),
  constraint tags_slug_unique_in_website unique (website_id, slug) deferrable
);

create table public.blog_categories (
  blog_id text not null references public.blogs on delete cascade,
  category_id text not null references public.categories on delete cascade,
  primary key (blog_id, category_id)
);
create index blog_categories_by_category on public.blog_categories (category_id);

create table public.blog_tags (
  blog_id text not null references public.blogs on delete cascade,
  tag_id text not null references public.tags on delete cascade,
  primary key (blog_id, tag_id)
);
create index blog_tags_by_tag on public.blog_tags (tag_id);

create table public.api_keys (
  id text primary key,
  organization_id text not null references public.organizations on delete cascade,
  name text not null default '',
  key_hash text not null unique,
  key_prefix text not null default '',
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now()
);
create index api_keys_by_organization on public.api_keys (organization_id);

create function public.api_keys_refuse_revival() returns trigger language plpgsql as $$
begin
  if old.revoked_at is not null and new.revoked_at is null then
    raise exception 'key % is revoked, and revocation is irreversible', old.id using errcode = 'check_violation';
  end if;
  if old.expires_at <= clock_timestamp() and new.expires_at is distinct from old.expires_at then
    raise exception 'key % has expired and cannot be reactivated', old.id using errcode = 'check_violation';
  end if;
  return new;
end
$$;

create trigger api_keys_refuse_revival before update on public.api_keys
  for each row execute function public.api_keys_refuse_revival();
