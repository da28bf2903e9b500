/**
 * A dashboard that differs from the reference schema: each id has a type of its own, names differ, statuses are
 * numbers, times have no zone, and the categories of a blog are an array.
 */
export const PUBLISHING = `
  create schema publishing;
  create table publishing.houses (no varchar(40) primary key, label text not null);
  create table publishing.sites (
    no bigint primary key, house varchar(40) not null references publishing.houses on delete cascade, label text not null
  );
  create table publishing.articles (
    no uuid primary key, site bigint not null references publishing.sites on delete cascade, headline text not null, path text not null,
    excerpt text, meta_title text, meta_description text, featured_image_url text, featured_image_alt text,
    content_html text, word_count smallint, reading_time_minutes bigint, state smallint not null default 0, live_since timestamp,
    updated_at timestamp, sections integer[] not null default '{}',
    unique (site, path) deferrable, check (state <> 2 or live_since is not null)
  );
  create table publishing.sections (
    no integer primary key, site bigint not null references publishing.sites on delete cascade,
    above integer references publishing.sections on delete set null, label text not null, path text not null, description text,
    position integer not null default 0, unique (site, path) deferrable
  );
  create table publishing.labels (
    no smallint primary key, site bigint not null references publishing.sites on delete cascade, label text not null, path text not null,
    color char(7), unique (site, path) deferrable
  );
  create table publishing.articles_labels (
    article uuid references publishing.articles on delete cascade, term integer references publishing.labels on delete cascade,
    primary key (article, term)
  );
  create table publishing.passes (
    no bigint primary key, house varchar(40) not null references publishing.houses on delete cascade, digest text not null unique,
    expires_at timestamp, revoked_at timestamptz
  );`;

/** Its content as views with the names of the reference schema: tests read their expectations from them. */
export const PUBLISHING_AS_REFERENCE = `
  create view public.websites as select no::text as id, house::text as organization_id from publishing.sites;
  create view public.blogs as select no::text as id, site::text as website_id, headline as title, path as slug, excerpt, meta_title, meta_description,
    featured_image_url, featured_image_alt, coalesce(content_html, '') as content_html, coalesce(word_count, 0) as word_count,
    coalesce(reading_time_minutes, 0) as reading_time_minutes, (array['draft', 'scheduled', 'published', 'archived'])[state + 1] as status,
    live_since at time zone 'Asia/Kolkata' as published_at from publishing.articles;
  create view public.categories as select no::text as id, site::text as website_id, above::text as parent_id, label as name, path as slug,
    coalesce(description, '') as description, position as sort_order from publishing.sections;
  create view public.tags as select no::text as id, site::text as website_id, label as name, path as slug, coalesce(color, '#888888') as color from publishing.labels;
  create view public.blog_categories as select no::text as blog_id, unnest(sections)::text as category_id from publishing.articles;
  create view public.blog_tags as select article::text as blog_id, term::text as tag_id from publishing.articles_labels;
  create view public.api_keys as select no::text as id, house::text as organization_id, digest as key_hash,
    expires_at at time zone 'Asia/Kolkata' as expires_at, revoked_at from publishing.passes;`;

/** Lists children before parents. */
export const PUBLISHING_TABLES = [
  'articles_labels',
  'passes',
  'articles',
  'labels',
  'sections',
  'sites',
  'houses',
].map((table) => `publishing.${table}`);

const NAMES: Readonly<Record<string, string>> = {
  organizations: 'publishing.houses',
  websites: 'publishing.sites',
  blogs: 'publishing.articles',
  categories: 'publishing.sections',
  tags: 'publishing.labels',
  blog_tags: 'publishing.articles_labels',
  api_keys: 'publishing.passes',
  id: 'no',
  organization_id: 'house',
  website_id: 'site',
  parent_id: 'above',
  blog_id: 'article',
  tag_id: 'term',
  title: 'headline',
  name: 'label',
  slug: 'path',
  status: 'state',
  published_at: 'live_since',
  sort_order: 'position',
  key_hash: 'digest',
};
const STATES = ['draft', 'scheduled', 'published', 'archived'];
/** The ids by the first letter that they have in the histories. */
const IDS: Readonly<Record<string, (digit: string) => string>> = {
  o: (digit) => `varchar 'house ${digit}'`,
  w: (digit) => `bigint '${digit}'`,
  b: (digit) => `uuid '00000000-0000-4000-8000-00000000000${digit}'`,
  c: (digit) => `integer '${digit}'`,
  t: (digit) => `smallint '${digit}'`,
  k: (digit) => `bigint '${digit}'`,
};
/** Rewrites statements on rows of a link table as statements on an array. */
const LINKS: readonly (readonly [RegExp, string])[] = [
  [
    /insert into blog_categories values \((.*?), (.*?)\) on conflict do nothing/,
    'update blogs set sections = array_remove(sections, $2) || $2 where id = $1',
  ],
  [
    /delete from blog_categories where blog_id = (.*?) and category_id = (.*)/,
    'update blogs set sections = array_remove(sections, $2) where id = $1',
  ],
  [
    /insert into blog_categories select blogs\.id, categories\.id from blogs, categories( on conflict do nothing)?/,
    'update blogs set sections = array(select id from categories)',
  ],
  [/truncate blog_categories.*/, `update blogs set sections = '{}'`],
];

/** Translates a statement for the reference schema into one for this dashboard. */
export function inPublishing(statement: string): string {
  return LINKS.reduce((written, [link, array]) => written.replace(link, array), statement)
    .replace(/'([owbctk])(\d)'/g, (_, kind: string, digit: string) => IDS[kind]?.(digit) ?? '')
    .replace(/'(draft|scheduled|published|archived)'/g, (_, status: string) => `${STATES.indexOf(status)}`)
    .replace(/\b[a-z_]+\b/g, (word) => NAMES[word] ?? word);
}
