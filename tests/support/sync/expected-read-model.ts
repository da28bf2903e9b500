import type { Knex } from 'knex';
import { BLOG_FIELD_NAMES, columnOf } from '../../../src/domain/model/blog-fields.js';

/** All rows, in one order, as PostgreSQL formats them. */
export interface ReadModelDump {
  readonly api_keys: readonly unknown[];
  readonly categories: readonly unknown[];
  readonly tags: readonly unknown[];
  readonly blogs: readonly unknown[];
  readonly titles: readonly unknown[];
  readonly list_entries: readonly unknown[];
  readonly list_totals: readonly unknown[];
  readonly unshown_rows: readonly unknown[];
  readonly hidden_websites: readonly unknown[];
}

const own = (alias: string, column = 'id') => `${alias}.id collate "C" as ${column}`;
const LINKS = (table: string, id: string) => `
  select ${own('b', 'blog_id')}, ${own('t', id)} from public.blog_${table} l
    join public.blogs b on b.id = l.blog_id join public.${table} t on t.id = l.${id}`;
/**
 * The dashboard's tables, with references as the rows themselves spell their ids: its collations may ignore case, these
 * do not.
 */
const DASHBOARD = `
  websites as (select ${own('w')}, w.organization_id from public.websites w),
  categories as (
    select ${own('c')}, ${own('w', 'website_id')}, ${own('p', 'parent_id')}, c.name, c.slug, c.description, c.sort_order
    from public.categories c join public.websites w on w.id = c.website_id left join public.categories p on p.id = c.parent_id),
  tags as (
    select ${own('t')}, ${own('w', 'website_id')}, t.name, t.slug, t.color
    from public.tags t join public.websites w on w.id = t.website_id),
  blog_categories as (${LINKS('categories', 'category_id')}),
  blog_tags as (${LINKS('tags', 'tag_id')}),
  blogs as (
    select ${own('b')}, ${own('w', 'website_id')}, b.title, b.slug, b.content_html, b.status, b.published_at,
      ${BLOG_FIELD_NAMES.map((field) => `b.${columnOf(field)}`)}
    from public.blogs b join public.websites w on w.id = b.website_id)`;

/** What a copy of a dashboard has instead of the character NUL. */
export const NUL = '␀';

/** A slug may have 1,000 bytes. No other value in the compared dashboards can be too long. */
const FITS = (slug: string) => `octet_length(${slug}) <= 1000`;
/** Only ids, and slugs made from them, may have the character NUL. */
const LACK_NUL = (...ids: readonly string[]) => `strpos(concat(${ids.join(', ')}), '${NUL}') = 0`;
const MILLIS = (time: string) => `date_trunc('milliseconds', ${time}) as ${time.split('.').at(-1)}`;

const API_KEYS = `
  select organization_id, id, key_hash as hash, ${MILLIS('expires_at')}, ${MILLIS('revoked_at')},
    ${LACK_NUL('organization_id', 'id')} as can_be_shown
  from public.api_keys`;

const CATEGORIES = `
  select w.organization_id, c.id, c.website_id, c.name, c.slug, c.description, c.sort_order,
    case when pw.organization_id = w.organization_id then p.id end as parent_id,
    ${FITS('c.slug')} and ${LACK_NUL('w.organization_id', 'c.id', 'c.slug', 'w.id', 'p.id', 'pw.organization_id')} as can_be_shown
  from categories c join websites w on w.id = c.website_id
    left join categories p on p.id = c.parent_id left join websites pw on pw.id = p.website_id`;

const TAGS = `
  select w.organization_id, t.id, t.website_id, t.name, t.slug, t.color,
    ${FITS('t.slug')} and ${LACK_NUL('w.organization_id', 't.id', 't.slug', 'w.id')} as can_be_shown
  from tags t, websites w where w.id = t.website_id`;

/** A blog shows the terms of its organization. */
const OURS = 'filter (where tw.organization_id = w.organization_id)';
/** Names consist of one lower-case letter, on whose order all collations agree. */
const TERMS = (table: string, id: string, order: string) => `
  select coalesce(jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'slug', t.slug) order by ${order}) ${OURS}, '[]') as shown,
    coalesce(array_agg(t.slug order by ${order}) ${OURS}, '{}') as slugs, coalesce(array_agg(t.id order by ${order}) ${OURS}, '{}') as ids,
    coalesce(bool_and(${FITS('t.slug')}) ${OURS}, true) and coalesce(bool_and(${LACK_NUL('t.id', 't.slug', 'tw.organization_id')}), true) as fit
  from blog_${table} l, ${table} t, websites tw
  where l.blog_id = b.id and t.id = l.${id} and tw.id = t.website_id`;

const BLOGS = `
  select w.organization_id, b.id, b.website_id, b.title, b.slug, b.content_html,
    ${BLOG_FIELD_NAMES.map((field) => `b.${columnOf(field)}`)},
    ${MILLIS('b.published_at')}, c.shown as categories, t.shown as tags, c.slugs as category_slugs, t.slugs as tag_slugs,
    array(select 'category=' || id from unnest(c.ids) as id) || array(select 'tag=' || id from unnest(t.ids) as id) as term_ids,
    isfinite(b.published_at) and ${FITS('b.slug')} and ${LACK_NUL('w.organization_id', 'b.id', 'b.slug', 'w.id')} and c.fit and t.fit as can_be_shown
  from blogs b join websites w on w.id = b.website_id,
    lateral (${TERMS('categories', 'category_id', 't.sort_order, t.name collate "C", t.id collate "C"')}) c,
    lateral (${TERMS('tags', 'tag_id', 't.name collate "C", t.id collate "C"')}) t
  where b.status = 'published'`;

/** Categories of several websites may share a slug. The titles are plain ASCII. */
const TITLES = `
  select organization_id, id, website_id, published_at, lower(title) as folded_title, term_ids, array(
    select term from unnest(
      array(select 'category=' || slug from unnest(category_slugs) as slug) || array(select 'tag=' || slug from unnest(tag_slugs) as slug)
    ) with ordinality as listed (term, place) group by term order by min(place)) as terms
  from every_blog where can_be_shown`;
const LIST_ENTRIES = `
  select organization_id, term, website_id, published_at, id from (${TITLES}) as title cross join unnest(terms || ''::text) as term`;
const LIST_TOTALS = `
  select term || ' in ' || website as id, organization_id, term, website, count(*) as blogs
  from (${LIST_ENTRIES}) as entry cross join lateral (values (''), ('=' || website_id)) as list (website) group by 1, 2, 3, 4`;

const shown = (rows: string) => `select * from (${rows}) r where can_be_shown`;

/**
 * The expected read tables, computed only from the dashboard's tables. It is independent of the projection: one SQL
 * statement instead of the worker's TypeScript on rows that it reads in batches.
 */
export async function expectedReadModel(dashboard: Knex): Promise<ReadModelDump> {
  return dump(
    dashboard,
    {
      api_keys: shown(API_KEYS),
      categories: shown(CATEGORIES),
      tags: shown(TAGS),
      blogs: shown('table every_blog'),
      titles: TITLES,
      list_entries: LIST_ENTRIES,
      list_totals: LIST_TOTALS,
      unshown_rows: Object.entries({
        apiKeys: API_KEYS,
        categories: CATEGORIES,
        tags: TAGS,
        blogs: 'table every_blog',
      })
        .map(([kind, rows]) => `select '${kind}' as kind, id from (${rows}) r where not can_be_shown`)
        .join(' union all '),
      hidden_websites: 'select id from websites where false',
    },
    `with ${DASHBOARD}, every_blog as (${BLOGS})`,
  );
}

export function readModel(readTables: Knex): Promise<ReadModelDump> {
  return dump(readTables, {
    api_keys: 'select * from content_read.api_keys',
    categories: 'select * from content_read.categories',
    tags: 'select * from content_read.tags',
    blogs: 'select * from content_read.blogs',
    titles: 'select * from content_read.titles',
    list_entries: 'select * from content_read.list_entries',
    list_totals: `select term || ' in ' || website as id, * from content_read.list_totals where blogs <> 0`,
    unshown_rows: 'select kind, id from content_read.unshown_rows',
    hidden_websites: 'select website_id as id from content_read.hidden_websites',
  });
}

async function dump(
  database: Knex,
  tables: Readonly<Record<keyof ReadModelDump, string>>,
  context = '',
): Promise<ReadModelDump> {
  const columns = Object.entries(tables).map(
    ([table, rows]) => `(
      select coalesce(jsonb_agg(to_jsonb(r) - ${table === 'titles' ? `'{}'` : `'{can_be_shown,category_slugs,tag_slugs,term_ids}'`}::text[] order by r.id collate "C", to_jsonb(r)::text collate "C"), '[]')
      from (${rows}) r) as ${table}`,
  );
  const { rows }: { rows: [ReadModelDump] } = await database.raw(`${context} select ${columns.join(', ')}`);
  return rows[0];
}
