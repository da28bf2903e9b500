import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { buildColdTables, keyOf, MANY, ORGANIZATIONS, type Organization, SIZES } from './cold-content.js';
import { atMost, type Figure, median, type Note } from './figures.js';
import { MeasuredServer } from './measured-server.js';
import { API, LIST } from './read-stage.js';

const ROUNDS = 40;
const LAST_PAGE = (partOfAll: number) => (blogs: number) => Math.ceil(Math.floor(blogs / partOfAll) / 20);
/** First and last pages take as long in a large organization as in a small one. */
const SAME = 1.5;

type Query = (blogs: number) => string;

const FIRST_AND_LAST_PAGES: readonly Query[] = [
  () => '',
  (blogs) => `page=${LAST_PAGE(1)(blogs)}`,
  (blogs) => `tag=u0&page=${LAST_PAGE(7)(blogs)}`,
  () => 'website_id=web_2&category=tenth',
];

/** With the longest time in the large organization. */
const OTHERS: readonly { readonly what: string; readonly query: Query; readonly promisedMs: number }[] = [
  { what: 'middle page of all', query: (blogs) => `page=${blogs / 40}`, promisedMs: 25 },
  { what: 'search that finds one', query: () => 'search=unique', promisedMs: 8 },
  { what: 'search that finds a quarter', query: () => 'search=lighthouse', promisedMs: 60 },
  {
    what: 'middle page of a search that finds all',
    query: (blogs) => `search=blog&page=${blogs / 40}`,
    promisedMs: 200,
  },
];

/** What an uncached answer costs a caller in an organization that is a thousand times as large. */
export async function measureCold(note: Note): Promise<void> {
  const url = await createTestDatabase();
  await buildColdTables(url);
  const environment = { READ_DATABASE_URL: url, RATE_LIMIT_MAX: '10000000', CACHE_LIST_TTL_SECONDS: '0' };
  const api = await MeasuredServer.start(API, environment, { path: LIST, key: keyOf('few') });
  try {
    const pages: Figure[] = [];
    for (const query of FIRST_AND_LAST_PAGES) {
      const { few, many } = await mediansOf(api.address, query);
      const what = `cold first or last page, of all or filtered (the worst of four), ${MANY} blogs against ${SIZES.few}`;
      const figure = atMost(what, many / few, SAME);
      pages.push({ ...figure, measured: `${figure.measured} (${many.toFixed(1)} : ${few.toFixed(1)} ms)` });
    }
    note(...pages.toSorted((a, b) => a.kept - b.kept).slice(0, 1));
    for (const { what, query, promisedMs } of OTHERS) {
      const { many } = await mediansOf(api.address, query);
      note(atMost(`cold ${what}, ${MANY} blogs`, many, promisedMs, ' ms'));
    }
  } finally {
    await api.stop();
  }
}

async function mediansOf(apiAddress: string, query: Query): Promise<Record<Organization, number>> {
  const times: Record<Organization, number[]> = { few: [], many: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const organization of ORGANIZATIONS) {
      const address = `${apiAddress}${LIST}?${query(SIZES[organization])}`;
      times[organization].push(await millisecondsOf(address, organization));
    }
  }
  return { few: median(times.few), many: median(times.many) };
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
