import pg from 'pg';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { buildColdTables, keyOf, ORGANIZATIONS, type Organization, SIZES } from './cold-content.js';
import { atMost, type Figure, median, type Note } from './figures.js';
import { MeasuredServer } from './measured-server.js';
import { API, LIST } from './read-stage.js';

const ROUNDS = 40;
const PAGE = 20;

interface Question {
  readonly what: string;
  /** The query string of the list. */
  readonly query: (blogs: number, organization: Organization) => string;
  /** The longest time: a multiple of the time in the small organization, or milliseconds in the others. */
  readonly promised: { readonly times: number } | Readonly<Record<'medium' | 'large', number>>;
}

const SAME = { times: 1.5 };

/** The first, middle and last page. */
function pagesOf(
  list: string,
  partOfAll: number,
  filter: (organization: Organization) => string,
): readonly Question[] {
  const lastPage = (blogs: number) => Math.ceil(Math.floor(blogs / partOfAll) / PAGE);
  const page = (
    what: string,
    of: (blogs: number) => number,
    promised: Question['promised'] = SAME,
  ): Question => ({
    what: `${what} page of ${list}`,
    query: (blogs, organization) => `?${filter(organization)}&page=${of(blogs)}`,
    promised,
  });
  return [
    page('first', () => 1),
    page('middle', (blogs) => Math.ceil(lastPage(blogs) / 2), { medium: 25, large: 100 }),
    page('last', lastPage),
  ];
}

const QUESTIONS: readonly Question[] = [
  ...pagesOf('all', 1, () => ''),
  ...pagesOf('a website with a quarter of them', 4, (organization) => `website_id=${organization}_web_1`),
  ...pagesOf('a category with a tenth of them', 10, () => 'category=tenth'),
  ...pagesOf('a tag with a seventh of them', 7, () => 'tag=u0'),
  ...pagesOf(
    'that category in a website',
    20,
    (organization) => `website_id=${organization}_web_2&category=tenth`,
  ),
  { what: 'search that finds one', query: () => '?search=unique', promised: { medium: 8, large: 15 } },
  {
    what: 'search that finds every 200th',
    query: () => '?search=harbor',
    promised: { medium: 60, large: 300 },
  },
  {
    what: 'search that finds a quarter by a word',
    query: () => '?search=lighthouse',
    promised: { medium: 60, large: 300 },
  },
  {
    what: 'search that finds a quarter by a letter',
    query: () => '?search=h',
    promised: { medium: 60, large: 300 },
  },
  {
    what: 'middle page of a search that finds all',
    query: (blogs) => `?search=blog&page=${blogs / PAGE / 2}`,
    promised: { medium: 200, large: 950 },
  },
];

/** What an uncached answer costs a caller in an organization that is five thousand times as large. */
export async function measureCold(note: Note): Promise<void> {
  const url = await createTestDatabase();
  await buildColdTables(url);
  const tables = new pg.Client(url);
  await tables.connect();
  try {
    // Autovacuum runs at random times, so the states before and after it are measured.
    await tables.query(AUTOVACUUM_OFF);
    await measureQuestions(note, url, tables, 'without statistics');
    await tables.query('vacuum analyze');
    await measureQuestions(note, url, tables, 'after ANALYZE');
  } finally {
    await tables.end();
  }
}

const AUTOVACUUM_OFF = `
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'content_read' loop
      execute format('alter table content_read.%I set (autovacuum_enabled = false)', name);
    end loop;
  end $$`;

async function measureQuestions(note: Note, url: string, tables: pg.Client, when: string): Promise<void> {
  const environment = { READ_DATABASE_URL: url, RATE_LIMIT_MAX: '10000000', LOG_LEVEL: 'warn' };
  const api = await MeasuredServer.start(API, environment, { path: LIST, key: keyOf('small') });
  try {
    for (const question of QUESTIONS) {
      const times: Record<Organization, number[]> = { small: [], medium: [], large: [] };
      for (let round = 0; round < ROUNDS; round++) {
        for (const organization of ORGANIZATIONS) {
          // Makes cached answers obsolete, as a change does.
          await tables.query('update content_read.organizations set generation = generation + 1');
          const address = `${api.address}${LIST}${question.query(SIZES[organization], organization)}`;
          times[organization].push(await millisecondsOf(address, organization));
        }
      }
      note(...figuresOf(question, when, times));
    }
  } finally {
    await api.stop();
  }
}

function figuresOf(
  { what, promised }: Question,
  when: string,
  times: Readonly<Record<Organization, readonly number[]>>,
): readonly Figure[] {
  const [small, medium, large] = [times.small, times.medium, times.large].map(median) as [
    number,
    number,
    number,
  ];
  if ('times' in promised) {
    const figure = atMost(
      `cold ${what}, ${SIZES.large} blogs against ${SIZES.small}, ${when}`,
      large / small,
      promised.times,
    );
    return [{ ...figure, measured: `${figure.measured} (${large.toFixed(1)} : ${small.toFixed(1)} ms)` }];
  }
  return [
    atMost(`cold ${what}, ${SIZES.medium} blogs, ${when}`, medium, promised.medium, ' ms'),
    atMost(`cold ${what}, ${SIZES.large} blogs, ${when}`, large, promised.large, ' ms'),
  ];
}

async function millisecondsOf(address: string, organization: Organization): Promise<number> {
  const begin = performance.now();
  const answer = await fetch(address, { headers: { 'X-API-Key': keyOf(organization) } });
  await answer.arrayBuffer();
  const milliseconds = performance.now() - begin;
  if (answer.status !== 200 || answer.headers.get('X-Cache') !== 'MISS') {
    throw new Error(`${address} answered ${answer.status}, ${answer.headers.get('X-Cache')}`);
  }
  return milliseconds;
}
