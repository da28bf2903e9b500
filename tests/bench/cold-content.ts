import { createHash } from 'node:crypto';
import type pg from 'pg';

export const SIZES = { small: 200, large: 1_000_000 };
export type Organization = keyof typeof SIZES;

/** One statement with all of them would take as much memory as its rows. */
const PIECE = 100_000;

/**
 * In four websites, a minute apart, in the order of their ids; with 640 bytes of content that cannot be compressed, one category and two tags
 * each. The only `h` is that of Lighthouse and Harbor.
 */
const FILL = `
  insert into content_read.blogs
    (organization_id, id, website_id, title, folded_title, slug, content_html, word_count,
     reading_time_minutes, published_at, categories, tags, category_slugs, tag_slugs)
  select $1::text, $1 || n, $1 || '_web_' || n % 4, title, lower(title), 'blog-' || n,
    (select string_agg(md5(n || ' ' || line), '') from generate_series(1, 20) as line), 200, 1,
    timestamptz '2026-01-01' - n * interval '1 minute', '[]', '[]',
    array[case n % 10 when 0 then 'tenth' else 'c' || n % 100 end], array['t' || n % 50, 'u' || n % 7]
  from generate_series($2::int, $3::int) as n cross join lateral (
    select concat_ws(' ', 'Blog', n, case when n = 77 then 'unique' when n % 200 = 0 then 'Harbor' end,
      case when n % 4 = 0 then 'Lighthouse' end, md5(n::text))
  ) as titles (title)`;

export async function fillOrganization(tables: pg.Client, organization: Organization): Promise<void> {
  await tables.query('insert into content_read.organizations (organization_id, generation) values ($1, 1)', [
    organization,
  ]);
  const hash = createHash('sha256').update(keyOf(organization)).digest('hex');
  await tables.query(
    'insert into content_read.api_keys (organization_id, id, hash) values ($1::text, $1::text, $2)',
    [organization, hash],
  );
  for (let from = 1; from <= SIZES[organization]; from += PIECE) {
    await tables.query(FILL, [organization, from, Math.min(from + PIECE - 1, SIZES[organization])]);
  }
}

export function keyOf(organization: Organization): string {
  return `key-of-the-organization-${organization}`;
}
