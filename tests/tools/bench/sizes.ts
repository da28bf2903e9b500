import type { Figure } from './figures.js';

const SIZES = [1, 100, 100_000];
/** What docs/scaling.md assumes of each organization. */
export const ASSUMED = {
  blogs: 1_000,
  requestsPerSecond: 0.5,
  editsPerSecond: 0.002,
  /** The part of the requests that no cache answers. */
  computed: 0.5,
  /** Between lists and single blogs. */
  lifetimeSeconds: 600,
  /** The part of a core that is used, so that peaks have room. */
  busy: 0.6,
};
const LIMIT_PER_MINUTE = 100;
const CONNECTIONS = { process: 11, worker: 2 };
const WORKERS = 2;

/** What the servers need at each size, as a Markdown table. */
export function sizesOf(figures: readonly Figure[]): string {
  const needs = SIZES.map((organizations) => needOf(organizations, costsOf(figures)));
  const [header, ...rows] = Object.keys(needs[0] ?? {}).map((what) =>
    [what, ...needs.map((need) => need[what])].join(' | '),
  );
  return [
    header,
    SIZES.map(() => '---')
      .concat('---')
      .join(' | '),
    ...rows,
  ]
    .map((row) => `| ${row} |`)
    .join('\n');
}

function needOf(organizations: number, cost: ReturnType<typeof costsOf>): Record<string, string> {
  const requests = organizations * ASSUMED.requestsPerSecond;
  const computed = requests * ASSUMED.computed;
  const cached = requests - computed;
  const edits = organizations * ASSUMED.editsPerSecond;
  const blogs = organizations * ASSUMED.blogs;
  const api = (cached * cost.hit.api + computed * cost.miss.api) / 1e6 / ASSUMED.busy;
  const redis = (cached * cost.hit.redis + computed * cost.miss.redis) / 1e6 / ASSUMED.busy;
  const postgres =
    (cached * cost.hit.postgres + computed * cost.miss.postgres + edits * cost.edit.postgres) / 1e6;
  const processes = Math.max(2, Math.ceil(api));
  const keys = Math.max(organizations, (requests * 60) / LIMIT_PER_MINUTE);
  const answers = computed * ASSUMED.lifetimeSeconds;
  return {
    organizations: count(organizations),
    blogs: count(blogs),
    'requests a second': count(requests),
    'edits a second': count(edits),
    'API: processes, each with a core': count(processes),
    'sync worker: cores': cores((edits * cost.edit.worker) / 1e6 / ASSUMED.busy),
    'Redis: cores': cores(redis),
    'Redis: memory': size(keys * cost.window + answers * cost.answer),
    'PostgreSQL: cores': cores(postgres / ASSUMED.busy),
    'PostgreSQL: connections': count(processes * CONNECTIONS.process + WORKERS * CONNECTIONS.worker),
    'PostgreSQL: disk of the read tables': size(blogs * cost.blog),
    'WAL of both databases, a day': size(edits * cost.edit.wal * 86_400),
  };
}

/** Microseconds of processor time, and kilobytes. */
function costsOf(figures: readonly Figure[]) {
  const of = (what: string) => {
    const measured = figures.find((figure) => figure.what === `cost of ${what}`)?.measured ?? '';
    return (after: string): number => {
      const number = new RegExp(`([\\d.]+) ${after}`).exec(measured)?.[1];
      if (number === undefined) throw new Error(`docs/scaling.md lacks the cost of ${what}`);
      return Number(number);
    };
  };
  const request = (what: string) => {
    const cost = of(what);
    return { api: cost('µs API'), redis: cost('µs Redis'), postgres: cost('µs PostgreSQL') };
  };
  const edit = of('an edit');
  return {
    hit: request('a HIT, of a list of 20'),
    miss: request('a MISS, of a search'),
    edit: { worker: edit('µs worker'), postgres: edit('µs PostgreSQL'), wal: edit('KB WAL') },
    blog: of('a blog with 2 KB, in the read tables')('KB'),
    answer: of('a cached blog with 6 KB, in Redis')('KB'),
    window: of('a key with 100 requests a minute, in Redis')('KB'),
  };
}

function count(value: number): string {
  return value < 1 ? String(value) : Math.round(value).toLocaleString('en');
}

function cores(value: number): string {
  return value < 0.1 ? 'less than 0.1' : value.toFixed(value < 10 ? 1 : 0);
}

function size(kilobytes: number): string {
  const [value, unit] = kilobytes < 1e6 ? [kilobytes / 1e3, 'MB'] : [kilobytes / 1e6, 'GB'];
  return `${value < 10 ? value.toFixed(1) : count(value)} ${unit}`;
}

/** The measured costs, as a Markdown table. */
export function costTableOf(figures: readonly Figure[]): string {
  const costs = figures.filter(({ what }) => what.startsWith('cost of '));
  const rows = [
    ['cost of', 'measured'],
    ['---', '---'],
  ].concat(costs.map(({ what, measured }) => [what.replace('cost of ', ''), measured]));
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
