import {
  ALL,
  blog,
  category,
  key,
  name,
  organization,
  PLACED,
  pick,
  type Statement,
  slug,
  tag,
  website,
} from './history-rows.js';

/** With more digits than are shown. */
const time = (n: number) =>
  `timestamptz '2026-01-01 00:00:00.123456Z' + ${n % 50} * interval '26:01:01.0017'`;
const BULK: readonly Statement[] = [
  () => `update blogs set title = title || '!'`,
  () => `update blogs set status = 'archived' where status = 'published'`,
  (a) => `update blogs set status = 'published', published_at = ${time(a)}`,
  (a) => `update blogs set website_id = '${website(a)}', slug = id`,
  (a) => `update categories set name = '${name(a)}', sort_order = -sort_order`,
  (a) => `update categories set parent_id = '${category(a)}'`,
  (a) => `update tags set name = '${name(a)}', slug = 'of-' || id`,
  (a) => `update websites set organization_id = '${organization(a)}'`,
  () => 'insert into blog_tags select blogs.id, tags.id from blogs, tags on conflict do nothing',
  () =>
    'insert into blog_categories select blogs.id, categories.id from blogs, categories on conflict do nothing',
  () => 'delete from blog_tags',
  () => 'delete from categories',
  () => `update api_keys set revoked_at = now() where revoked_at is null`,
];

const EDITS: readonly Statement[] = [
  (a) => `title = 'Title ${a}'`,
  (a) => `excerpt = nullif('Excerpt ${a % 3}', 'Excerpt 0')`,
  (a) => `meta_title = 'Meta ${a}', meta_description = 'Description ${a}'`,
  (a) => `featured_image_url = 'https://example.com/${a}', featured_image_alt = 'Alt ${a}'`,
  (a) => `content_html = '<p>${a}</p>', word_count = ${a}, reading_time_minutes = ${a}`,
  (a) => `published_at = ${time(a)}`,
  // Times that no calendar can show and slugs that no index can hold: quarantined until they are corrected.
  () => `published_at = 'infinity'`,
  () => `slug = 'long-' || repeat('x', 1000)`,
  // Changes nothing that is shown.
  () => 'updated_at = now()',
];

/**
 * Every kind of change that a dashboard makes. Some are refused, depending on the rows: that is a kind of change,
 * too.
 */
export const STATEMENTS = {
  'put organization': (a, b) =>
    `insert into organizations (id, name) values ('${organization(a)}', '${name(b)}')
    on conflict (id) do update set name = excluded.name`,
  'put website': (a, b) =>
    `insert into websites (id, organization_id, name) values ('${website(a)}', '${organization(b)}', '')
    on conflict (id) do update set organization_id = excluded.organization_id`,
  'put blog': (a, b, c) =>
    `insert into blogs (id, website_id, title, slug, status, published_at)
    values ('${blog(a)}', '${website(b)}', 'Title', '${slug(c)}', 'published', ${time(c)})
    on conflict (id) do update set website_id = excluded.website_id`,
  'put category': (a, b, c) =>
    `insert into categories (id, website_id, name, slug, sort_order)
    values ('${category(a)}', '${website(b)}', '${name(c)}', '${slug(c)}', ${c % 3})
    on conflict (id) do update set website_id = excluded.website_id`,
  'put tag': (a, b, c) =>
    `merge into tags using (values ('${tag(a)}', '${website(b)}', '${name(c)}', '${slug(c)}')) as new (id, website_id, name, slug)
    on tags.id = new.id when matched then update set website_id = new.website_id
    when not matched then insert (id, website_id, name, slug) values (new.id, new.website_id, new.name, new.slug)`,
  'put key': (a, b) =>
    `insert into api_keys (id, organization_id, key_hash) values ('${key(a)}', '${organization(b)}', 'hash of ${key(a)}')
    on conflict (id) do update set organization_id = excluded.organization_id`,
  'edit blog': (a, b, c) => `update blogs set ${pick(EDITS, b)(c, 0, 0)} where id = '${blog(a)}'`,
  'edit category': (a, b, c) =>
    `update categories set name = '${name(b)}', sort_order = ${c % 3}, description = 'D${c}' where id = '${category(a)}'`,
  'edit tag': (a, b, c) =>
    `update tags set name = '${name(b)}', color = '#00000${c % 10}' where id = '${tag(a)}'`,
  'change status': (a, b, c) =>
    `update blogs set status = '${pick(['draft', 'scheduled', 'published', 'archived'], b)}', published_at = ${time(c)}
    where id = '${blog(a)}'`,
  'change slug': (a, b, c) => {
    const { table, idOf } = pick(PLACED, a);
    return `update ${table} set slug = ${c % 5 === 0 ? `'l' || repeat('y', 1000)` : `'${slug(c)}'`} where id = '${idOf(b)}'`;
  },
  'swap slugs': (a, b, c) => {
    const { table, idOf } = pick(PLACED, a);
    const slugOf = (id: string) => `(select slug from ${table} where id = '${id}')`;
    return `do $$ declare one text := ${slugOf(idOf(b))}; other text := ${slugOf(idOf(c))}; begin
      if one is null or other is null then return; end if;
      set constraints all deferred;
      update ${table} set slug = other where id = '${idOf(b)}';
      update ${table} set slug = one where id = '${idOf(c)}';
    end $$`;
  },
  move: (a, b, c) => {
    const { table, idOf } = pick(PLACED, a);
    return `update ${table} set website_id = '${website(c)}' where id = '${idOf(b)}'`;
  },
  'set parent': (a, b) =>
    `update categories set parent_id = nullif('${category(b)}', id) where id = '${category(a)}'`,
  link: (a, b, c) =>
    c % 2 === 0
      ? `insert into blog_categories values ('${blog(a)}', '${category(b)}') on conflict do nothing`
      : `insert into blog_tags values ('${blog(a)}', '${tag(b)}') on conflict do nothing`,
  unlink: (a, b, c) =>
    c % 2 === 0
      ? `delete from blog_categories where blog_id = '${blog(a)}' and category_id = '${category(b)}'`
      : `delete from blog_tags where blog_id = '${blog(a)}' and tag_id = '${tag(b)}'`,
  'revoke key': (a) =>
    `update api_keys set revoked_at = clock_timestamp() where id = '${key(a)}' and revoked_at is null`,
  'let key expire': (a, b) => `update api_keys set expires_at = ${time(b)} where id = '${key(a)}'`,
  'change id': (a, b, c) => {
    const { table, idOf } = pick(ALL, a);
    return `update ${table} set id = '${idOf(c)}' where id = '${idOf(b)}'`;
  },
  'change many': (a, b) => pick(BULK, a)(b, 0, 0),
  'change nothing': (a) => {
    const { table } = pick(ALL, a);
    return `update ${table} set id = id`;
  },
  delete: (a, b) => {
    const { table, idOf } = pick(ALL, a);
    return `delete from ${table} where id = '${idOf(b)}'`;
  },
  truncate: (a, b) => {
    const table = pick([...ALL.map((each) => each.table), 'blog_categories', 'blog_tags'], a);
    return `truncate ${table} ${b % 3 === 0 ? '' : 'cascade'}`;
  },
} satisfies Readonly<Record<string, Statement>>;

/** The rows at the start of every history. */
export const BEGINNING = [
  ...[0, 1].map((n) => STATEMENTS['put organization'](n, n)),
  ...[0, 1, 2].map((n) => STATEMENTS['put website'](n, n)),
  ...[0, 1, 2, 3].map((n) => STATEMENTS['put blog'](n, n, n)),
  ...[0, 1, 2, 3].map((n) => STATEMENTS['put category'](n, n, n)),
  ...[0, 1, 2].map((n) => STATEMENTS['put tag'](n, n, n)),
  ...[0, 1].map((n) => STATEMENTS['put key'](n, n)),
  STATEMENTS['set parent'](3, 0),
  'insert into blog_categories select blogs.id, categories.id from blogs, categories',
  'insert into blog_tags select blogs.id, tags.id from blogs, tags',
].join(';');
