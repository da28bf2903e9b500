import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { buildColdTables, keyOf, MANY, ORGANIZATIONS, type Organization, SIZES } from './cold-content.js';
import { atMost, median, type Note } from './figures.js';
import { MeasuredServer } from './measured-server.js';
import { API, LIST } from './read-stage.js';

const ROUNDS = 40;
const LAST_PAGE = (partOfAll: number) => (blogs: number) => Math.ceil(Math.floor(blogs / partOfAll) / 20);
/** First and last pages take as long in a large organization as in a small one. */
const SAME = 1.5;

/** What is asked, with the longest time in milliseconds in the large organization, or as a multiple of the small one. */
const QUESTIONS: readonly {
  readonly what: string;
  readonly query: (blogs: number) => string;
  readonly promised: { readonly times: number } | { readonly ms: number };
}[] = [
  { what: 'first page of all', query: () => '', promised: { times: SAME } },
  { what: 'middle page of all', query: (blogs) => `page=${blogs / 40}`, promised: { ms: 25 } },
  { what: 'last page of all', query: (blogs) => `page=${LAST_PAGE(1)(blogs)}`, promised: { times: SAME } },
  {
    what: 'last page of a tag with a seventh of them',
    query: (blogs) => `tag=u0&page=${LAST_PAGE(7)(blogs)}`,
    promised: { times: SAME },
  },
  {
    what: 'first page of a category with a tenth of them in a website',
    query: () => 'website_id=web_2&category=tenth',
    promised: { times: SAME },
  },
  { what: 'search that finds one', query: () => 'search=unique', promised: { ms: 8 } },
  { what: 'search that finds a quarter', query: () => 'search=lighthouse', promised: { ms: 60 } },
  {
    what: 'middle page of a search that finds all',
    query: (blogs) => `search=blog&page=${blogs / 40}`,
    promised: { ms: 200 },
  },
];

/** What an uncached answer costs a caller in an organization that is a thousand times as large. */
export async function measureCold(note: Note): Promise<void> {
  const url = await createTestDatabase();
  await buildColdTables(url);
  const environment = { READ_DATABASE_URL: url, RATE_LIMIT_MAX: '10000000', CACHE_LIST_TTL_SECONDS: '0' };
  const api = await MeasuredServer.start(API, environment, { path: LIST, key: keyOf('few') });
  try {
    for (const { what, query, promised } of QUESTIONS) {
      const times: Record<Organization, number[]> = { few: [], many: [] };
      for (let round = 0; round < ROUNDS; round++) {
        for (const organization of ORGANIZATIONS) {
          const address = `${api.address}${LIST}?${query(SIZES[organization])}`;
          times[organization].push(await millisecondsOf(address, organization));
        }
      }
      const [few, many] = [median(times.few), median(times.many)];
      if ('ms' in promised) note(atMost(`cold ${what}, ${MANY} blogs`, many, promised.ms, ' ms'));
      else {
        const figure = atMost(`cold ${what}, ${MANY} blogs against ${SIZES.few}`, many / few, promised.times);
        note({ ...figure, measured: `${figure.measured} (${many.toFixed(1)} : ${few.toFixed(1)} ms)` });
      }
    }
  } finally {
    await api.stop();
  }
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
