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
import type { STATEMENTS } from './history-statements.js';

/** With more digits than are shown. */
const time = (n: number) =>
  `cast('2026-01-01 00:00:00.123456' as datetime(6)) + interval ${((n % 50) * 93_661.0017).toFixed(4)} second`;
/** More bytes than any index of the read tables holds. */
const TOO_LONG = `repeat('日', 400)`;

const BULK: readonly Statement[] = [
  () => `update blogs set title = concat(title, '!')`,
  () => `update blogs set status = 'archived' where status = 'published'`,
  (a) => `update blogs set status = 'published', published_at = ${time(a)}`,
  (a) => `update blogs set website_id = '${website(a)}', slug = id`,
  (a) => `update categories set name = '${name(a)}', sort_order = -sort_order`,
  (a) => `update categories set parent_id = '${category(a)}'`,
  (a) => `update tags set name = '${name(a)}', slug = concat('of-', id)`,
  (a) => `update websites set organization_id = '${organization(a)}'`,
  () => 'insert ignore into blog_tags select blogs.id, tags.id from blogs, tags',
  () => 'replace into blog_categories select blogs.id, categories.id from blogs, categories',
  () => 'delete from blog_tags',
  () => 'delete from categories',
  () => 'update api_keys set revoked_at = utc_timestamp() where revoked_at is null',
];

const EDITS: readonly Statement[] = [
  (a) => `title = 'Title ${a}'`,
  (a) => `excerpt = nullif('Excerpt ${a % 3}', 'Excerpt 0')`,
  (a) => `meta_title = 'Meta ${a}', meta_description = 'Description ${a}'`,
  (a) => `featured_image_url = 'https://example.com/${a}', featured_image_alt = 'Alt ${a}'`,
  (a) => `content_html = '<p>${a}</p>', word_count = ${a}, reading_time_minutes = ${a}`,
  (a) => `published_at = ${time(a)}`,
  // Slugs that no index can hold: quarantined until they are corrected.
  () => `slug = concat('long-', ${TOO_LONG})`,
  () => 'updated_at = now()',
];

/**
 * The statements of a MySQL dashboard, under the same names. Some are refused, depending on the rows: that is a kind
 * of change, too.
 */
export const MYSQL_STATEMENTS: Readonly<Record<keyof typeof STATEMENTS, Statement>> = {
  'put organization': (a, b) =>
    `insert into organizations (id, name) values ('${organization(a)}', '${name(b)}') on duplicate key update name = values(name)`,
  'put website': (a, b) =>
    `insert into websites (id, organization_id, name) values ('${website(a)}', '${organization(b)}', '')
    on duplicate key update organization_id = values(organization_id)`,
  'put blog': (a, b, c) =>
    `insert into blogs (id, website_id, title, slug, status, published_at)
    values ('${blog(a)}', '${website(b)}', 'Title', '${slug(c)}', 'published', ${time(c)})
    on duplicate key update website_id = values(website_id)`,
  'put category': (a, b, c) =>
    `insert into categories (id, website_id, name, slug, sort_order)
    values ('${category(a)}', '${website(b)}', '${name(c)}', '${slug(c)}', ${c % 3})
    on duplicate key update website_id = values(website_id)`,
  // Deletes the replaced row and everything that refers to it.
  'put tag': (a, b, c) =>
    `replace into tags (id, website_id, name, slug) values ('${tag(a)}', '${website(b)}', '${name(c)}', '${slug(c)}')`,
  'put key': (a, b) =>
    `insert into api_keys (id, organization_id, key_hash) values ('${key(a)}', '${organization(b)}', 'hash of ${key(a)}')
    on duplicate key update organization_id = values(organization_id)`,
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
    return `update ${table} set slug = ${c % 5 === 0 ? TOO_LONG : `'${slug(c)}'`} where id = '${idOf(b)}'`;
  },
  'swap slugs': (a, b, c) => {
    const { table, idOf } = pick(PLACED, a);
    return `update ${table} set slug = concat(left(slug, 3), '~', id) where id in ('${idOf(b)}', '${idOf(c)}')`;
  },
  move: (a, b, c) => {
    const { table, idOf } = pick(PLACED, a);
    return `update ${table} set website_id = '${website(c)}' where id = '${idOf(b)}'`;
  },
  'set parent': (a, b) =>
    `update categories set parent_id = nullif('${category(b)}', id) where id = '${category(a)}'`,
  link: (a, b, c) =>
    c % 2 === 0
      ? `insert ignore into blog_categories values ('${blog(a)}', '${category(b)}')`
      : `insert ignore into blog_tags values ('${blog(a)}', '${tag(b)}')`,
  unlink: (a, b, c) =>
    c % 2 === 0
      ? `delete from blog_categories where blog_id = '${blog(a)}' and category_id = '${category(b)}'`
      : `delete from blog_tags where blog_id = '${blog(a)}' and tag_id = '${tag(b)}'`,
  'revoke key': (a) =>
    `update api_keys set revoked_at = utc_timestamp(6) where id = '${key(a)}' and revoked_at is null`,
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
  // TRUNCATE fires no trigger: only the capture watch detects it.
  truncate: (a) =>
    `delete from ${pick([...ALL.map((each) => each.table), 'blog_categories', 'blog_tags'], a)}`,
};

/** The rows at the start of every history. */
export const MYSQL_BEGINNING: readonly string[] = [
  ...[0, 1].map((n) => MYSQL_STATEMENTS['put organization'](n, n, 0)),
  ...[0, 1, 2].map((n) => MYSQL_STATEMENTS['put website'](n, n, 0)),
  ...[0, 1, 2, 3].map((n) => MYSQL_STATEMENTS['put blog'](n, n, n)),
  ...[0, 1, 2, 3].map((n) => MYSQL_STATEMENTS['put category'](n, n, n)),
  ...[0, 1, 2].map((n) => MYSQL_STATEMENTS['put tag'](n, n, n)),
  ...[0, 1].map((n) => MYSQL_STATEMENTS['put key'](n, n, 0)),
  MYSQL_STATEMENTS['set parent'](3, 0, 0),
  'insert into blog_categories select blogs.id, categories.id from blogs, categories',
  'insert into blog_tags select blogs.id, tags.id from blogs, tags',
];
