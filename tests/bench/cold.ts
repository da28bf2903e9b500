import { createHash } from 'node:crypto';
import pg from 'pg';
import { migrateDatabase } from '../../src/adapters/postgres/migrate-database.js';
import { READ_MIGRATIONS } from '../../src/composition/project-folders.js';
import { createTestDatabase } from '../support/test-postgres.js';
import { atMost, median, type Note } from './figures.js';
import { MeasuredServer } from './measured-server.js';
import { API, LIST } from './read-stage.js';

const BLOGS = { small: 200, large: 200_000 };
const ROUNDS = 40;
const LAST_PAGE_OF = (blogs: number) => `?page=${blogs / 20}`;

type Organization = keyof typeof BLOGS;

const QUESTIONS = [
  { what: 'first page', query: () => '', promised: 2 },
  { what: 'last page', query: LAST_PAGE_OF, promised: 4 },
  { what: 'page of a category that every tenth blog has', query: () => '?category=tenth', promised: 3 },
  { what: 'six-letter search that finds every 40th blog', query: () => '?search=harbor', promised: 10 },
  { what: 'six-letter search that finds one', query: () => '?search=unique', promised: 10 },
] as const;

/** What an answer that nobody has cached costs a caller, in an organization a thousand times as large. */
export async function measureCold(note: Note): Promise<void> {
  const url = await createTestDatabase();
  await migrateDatabase(url, READ_MIGRATIONS);
  const tables = new pg.Client(url);
  await tables.connect();
  let api: MeasuredServer | null = null;
  try {
    for (const [organization, blogs] of Object.entries(BLOGS)) await fill(tables, organization, blogs);
    await tables.query('vacuum analyze');
    const environment = { READ_DATABASE_URL: url, RATE_LIMIT_MAX: '10000000', LOG_LEVEL: 'warn' };
    api = await MeasuredServer.start(API, environment, { path: LIST, key: keyOf('small') });
    for (const { what, query, promised } of QUESTIONS) {
      const times: Record<Organization, number[]> = { small: [], large: [] };
      for (let round = 0; round < ROUNDS; round++) {
        for (const organization of ['small', 'large'] as const) {
          // As after a change: nothing that is cached counts any more.
          await tables.query('update content_read.organizations set generation = generation + 1');
          const address = `${api.address}${LIST}${query(BLOGS[organization])}`;
          times[organization].push(await millisecondsOf(address, organization));
        }
      }
      const [small, large] = [median(times.small), median(times.large)];
      const figure = atMost(`cold ${what}, 200,000 blogs against 200`, large / small, promised);
      note({
        ...figure,
        measured: `${figure.measured} (${large.toFixed(1)} : ${small.toFixed(1)} ms)`,
      });
    }
  } finally {
    await api?.stop();
    await tables.end();
  }
}

async function fill(tables: pg.Client, organization: string, blogs: number): Promise<void> {
  await tables.query('insert into content_read.organizations (organization_id, generation) values ($1, 1)', [
    organization,
  ]);
  const hash = createHash('sha256').update(keyOf(organization)).digest('hex');
  await tables.query(
    'insert into content_read.api_keys (organization_id, id, hash) values ($1::text, $1::text, $2)',
    [organization, hash],
  );
  await tables.query(
    `insert into content_read.blogs
       (organization_id, id, website_id, title, folded_title, slug, content_html, word_count,
        reading_time_minutes, published_at, categories, tags, category_slugs, tag_slugs)
     select $1, $1 || n, $1 || '_web_' || n % 4, title, lower(title), 'blog-' || n, repeat('<p>Words.</p>', 200), 200, 1,
       now() - n * interval '1 minute',
       case n % 10 when 0 then '[{"id": "tenth", "name": "Tenth", "slug": "tenth"}]'::jsonb else '[]' end, '[]',
       case n % 10 when 0 then array['tenth'] else '{}' end, '{}'
     from generate_series(1, $2) as n cross join lateral (
       select 'Blog ' || n || case when n = 77 then ' unique' when n % 40 = 0 then ' Harbor' else '' end || ' ' || md5(n::text)
     ) as titles (title)`,
    [organization, blogs],
  );
}

async function millisecondsOf(address: string, organization: string): Promise<number> {
  const begin = performance.now();
  const answer = await fetch(address, { headers: { 'X-API-Key': keyOf(organization) } });
  await answer.arrayBuffer();
  const milliseconds = performance.now() - begin;
  if (answer.status !== 200 || answer.headers.get('X-Cache') !== 'MISS') {
    throw new Error(`${address} answered ${answer.status}, ${answer.headers.get('X-Cache')}`);
  }
  return milliseconds;
}

function keyOf(organization: string): string {
  return `key-of-the-organization-${organization}`;
}
