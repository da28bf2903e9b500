import { createHash } from 'node:crypto';
import pg from 'pg';
import { migrateDatabase } from '../../../src/adapters/sql/postgres/migrations/migrate-database.js';
import { READ_MIGRATIONS } from '../../../src/composition/project-folders.js';

export const MANY = 200_000;
export const SIZES = { few: 200, many: MANY };
export type Organization = keyof typeof SIZES;
export const ORGANIZATIONS = Object.keys(SIZES) as readonly Organization[];

/** A single statement would take as much memory as all the rows. */
const BATCH = 50_000;

/**
 * Blogs in four websites, a minute apart, in the order of their ids. Each has 640 bytes of content that cannot be
 * compressed, one category and two tags.
 */
const FILL = `
  with given as materialized (
    select $1 || n as id, $1::text as organization_id, 'web_' || n % 4 as website_id, title, 'blog-' || n as slug,
      (select string_agg(md5(n || ' ' || line), '') from generate_series(1, 20) as line) as content_html,
      timestamptz '2026-01-01' - n * interval '1 minute' as published_at,
      array['category=' || case n % 10 when 0 then 'tenth' else 'c' || n % 100 end, 'tag=t' || n % 50, 'tag=u' || n % 7] as terms
    from generate_series($2::int, $3::int) as n cross join lateral (
      select concat_ws(' ', 'Blog', n, case when n = 77 then 'unique' end, case when n % 4 = 0 then 'Lighthouse' end, md5(n::text))
    ) as titles (title)
  ), shown as (
    insert into content_read.blogs
      (organization_id, id, website_id, title, slug, content_html, word_count, reading_time_minutes, published_at, categories, tags)
    select organization_id, id, website_id, title, slug, content_html, 200, 1, published_at, '[]', '[]' from given
  ), searched as (
    insert into content_read.titles (organization_id, id, website_id, published_at, terms, term_ids, folded_title)
    select organization_id, id, website_id, published_at, terms, '{}', lower(title) from given
  )
  insert into content_read.list_entries (organization_id, term, website_id, published_at, id)
  select organization_id, term, website_id, published_at, id from given cross join unnest(terms || ''::text) as term`;

const TOTALS = `
  insert into content_read.list_totals (organization_id, term, website, blogs)
  select organization_id, term, website, count(*)
  from content_read.list_entries cross join lateral (values (''), ('=' || website_id)) as list (website) group by 1, 2, 3`;

export async function buildColdTables(url: string): Promise<void> {
  await migrateDatabase(url, READ_MIGRATIONS);
  const tables = new pg.Client(url);
  await tables.connect();
  try {
    for (const organization of ORGANIZATIONS) {
      await tables.query(
        'insert into content_read.organizations (organization_id, generation) values ($1, 1)',
        [organization],
      );
      const hash = createHash('sha256').update(keyOf(organization)).digest('hex');
      await tables.query(
        'insert into content_read.api_keys (organization_id, id, hash) values ($1::text, $1::text, $2)',
        [organization, hash],
      );
      for (let from = 1; from <= SIZES[organization]; from += BATCH) {
        await tables.query(FILL, [organization, from, Math.min(from + BATCH - 1, SIZES[organization])]);
      }
    }
    await tables.query(TOTALS);
    // Autovacuum does it at a random time.
    await tables.query('vacuum analyze');
  } finally {
    await tables.end();
  }
}

export function keyOf(organization: Organization): string {
  return `key-of-the-organization-${organization}`;
}
