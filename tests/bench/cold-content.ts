import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { migrateDatabase } from '../../src/adapters/postgres/migrate-database.js';
import { READ_MIGRATIONS } from '../../src/composition/project-folders.js';

export const SIZES = { small: 200, large: 1_000_000 };
export type Organization = keyof typeof SIZES;

/** A single statement would take as much memory as all the rows. */
const BATCH = 100_000;

/**
 * Blogs in four websites, a minute apart, in the order of their ids. Each has 640 bytes of content that cannot be
 * compressed, one category and two tags. Only the titles Lighthouse and Harbor contain an `h`.
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

/** The last migration before the triggers that maintain further tables of the blogs. */
const BEFORE_ANYTHING_KEPT = '0003';

/** Settings of one session at a time, so that a million rows are sorted in memory. */
const ROOM_TO_SORT = `do $$ begin
  execute format('alter database %I set maintenance_work_mem = %L', current_database(), '1GB');
  execute format('alter database %I set work_mem = %L', current_database(), '256MB');
end $$`;
const NO_MORE_ROOM = `do $$ begin
  execute format('alter database %I reset all', current_database());
end $$`;

/**
 * Inserts the blogs before the migrations that create triggers and indexes: with these in place it would take an
 * hour.
 */
export async function buildColdTables(url: string): Promise<void> {
  await migrateUntil(url, BEFORE_ANYTHING_KEPT);
  const tables = new pg.Client(url);
  await tables.connect();
  try {
    await tables.query(ROOM_TO_SORT);
    const indexes = await dropIndexes(tables);
    for (const organization of ['small', 'large'] as const) await fillOrganization(tables, organization);
    for (const index of indexes) await tables.query(index);
    await migrateDatabase(url, READ_MIGRATIONS);
    await tables.query(NO_MORE_ROOM);
  } finally {
    await tables.end();
  }
}

async function migrateUntil(url: string, last: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-cold-'));
  try {
    const files = await readdir(READ_MIGRATIONS.directory);
    for (const file of files.filter((name) => name.slice(0, last.length) <= last)) {
      await cp(new URL(file, READ_MIGRATIONS.directory), join(folder, file));
    }
    await migrateDatabase(url, { ...READ_MIGRATIONS, directory: pathToFileURL(`${folder}/`) });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the statements that recreate them. `blogs_by_filter` stays empty until a later migration drops it. */
async function dropIndexes(tables: pg.Client): Promise<readonly string[]> {
  const { rows } = await tables.query<{ name: string; definition: string }>(`
    select format('%I.%I', schemaname, indexname) as name, indexdef || case indexname when 'blogs_by_filter' then ' where false' else '' end as definition
    from pg_indexes where (schemaname, tablename) = ('content_read', 'blogs') and indexname <> 'blogs_pkey'`);
  for (const { name } of rows) await tables.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}

async function fillOrganization(tables: pg.Client, organization: Organization): Promise<void> {
  await tables.query('insert into content_read.organizations (organization_id, generation) values ($1, 1)', [
    organization,
  ]);
  const hash = createHash('sha256').update(keyOf(organization)).digest('hex');
  await tables.query(
    'insert into content_read.api_keys (organization_id, id, hash) values ($1::text, $1::text, $2)',
    [organization, hash],
  );
  for (let from = 1; from <= SIZES[organization]; from += BATCH) {
    await tables.query(FILL, [organization, from, Math.min(from + BATCH - 1, SIZES[organization])]);
  }
}

export function keyOf(organization: Organization): string {
  return `key-of-the-organization-${organization}`;
}
