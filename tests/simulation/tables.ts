import { calculateAnswers } from './calculated-answers.js';
import type { Costs } from './costs.js';
import { type Needs, needsOf, type Result, VARIATIONS } from './needs.js';
import { KINDS, type Scenario } from './scenario.js';

type Row = readonly [what: string, value: string, from: string];

/** The sections of docs/scaling.md, by the names of their marks. */
export function sectionsOf(
  result: Result,
  needs: Needs,
  scenario: Scenario,
  costs: Costs,
): Readonly<Record<string, string>> {
  return {
    assumed: tableOf(['assumed', '', ''], assumed(scenario)),
    costs: tableOf(['cost of', 'measured', ''], measured(costs)),
    results: tableOf(['', 'result', ''], found(result, scenario)),
    check: tableOf(['a hundredth of the load', 'calculated', 'simulated'], checked(result)),
    variations: tableOf(['change', 'computed answers', 'needed'], varied(result, scenario, costs)),
    needs: tableOf(['', 'needed', 'basis'], needed(needs, scenario)),
    picture: pictureOf(result, needs, scenario),
  };
}

function assumed(it: Scenario): readonly Row[] {
  return [
    [
      'organizations',
      count(it.organizations),
      `the n-th has 1 / n^${it.organizationZipf} of the blogs, requests and edits of the first`,
    ],
    ['blogs', count(it.blogs), `the largest organization has ${count(largest(it) * it.blogs)}`],
    [
      'requests a second',
      count(it.requestsPerSecond),
      `the largest organization makes ${count(largest(it) * it.requestsPerSecond)}`,
    ],
    [
      'edits a second',
      count(it.editsPerSecond),
      `${percent(it.renames)} of them rename a category that ${percent(it.blogsOfCategory)} of the organization's blogs have`,
    ],
    [
      'requests',
      KINDS.map((kind) => `${percent(it.kinds[kind])} ${kind}`).join(', '),
      `the n-th blog or page is requested 1 / n^${it.addressZipf} as often as the first`,
    ],
    ['lifetimes', KINDS.map((kind) => `${kind} ${it.lifetimeSeconds[kind]} s`).join(', '), 'the defaults'],
  ];
}

function measured({ requests, edit, bytes, memoryOfApi }: Costs): readonly Row[] {
  const times = ({ api, redis, postgres }: Costs['requests']['near']) =>
    `${api} µs API, ${redis} µs Redis, ${postgres} µs PostgreSQL`;
  return [
    ['answer from the memory of the process', times(requests.near), ''],
    ['answer from Redis', times(requests.shared), ''],
    ['computed answer', times(requests.computed), 'details and lists alternately'],
    [
      'edit',
      `${edit.worker} µs worker, ${edit.postgres} µs PostgreSQL`,
      'both databases, including the change capture',
    ],
    ['edit, in the WAL', bytesOf(edit.walBytes), 'both databases'],
    ['single edit, until it is in the read tables', `${edit.aloneMs} ms`, 'median'],
    ['blog that is rewritten by a fan-out', `${edit.fanOutMs} ms`, 'of the one leader'],
    [
      'blog in the read tables',
      bytesOf(bytes.ofBlogInAll),
      Object.entries(bytes.ofBlog)
        .map(([name, size]) => `${name} ${count(size)}`)
        .join(', '),
    ],
    [
      'body',
      `detail ${bytesOf(bytes.detail)}, list ${bytesOf(bytes.list)}, search ${bytesOf(bytes.search)}`,
      `and ${count(bytes.entryInRedis)} B more for each in Redis`,
    ],
    ['window of a key in Redis', bytesOf(bytes.windowInRedis), '100 requests in it'],
    ['process of the API', bytesOf(memoryOfApi), 'resident'],
  ];
}

function found({ answers, edits }: Result, it: Scenario): readonly Row[] {
  return [
    [
      'answers from the memory of a process',
      percent(answers.near),
      `${it.processes} processes with ${bytesOf(it.localCacheBytes)} each; requests reach them at random`,
    ],
    ['answers from Redis', percent(answers.shared), ''],
    [
      'computed answers',
      percent(answers.computed),
      `${KINDS.map((kind) => `${kind} ${percent(answers.computedOf[kind])}`).join(', ')} of all requests`,
    ],
    [
      'answers in Redis',
      count(answers.answersInRedis),
      `${bytesOf(answers.bytesInRedis)}; answers of ended generations stay until their lifetime ends`,
    ],
    [
      'from commit until it is in the read tables',
      `p50 ${edits.p50Ms.toFixed(0)} ms, p99 ${edits.p99Ms.toFixed(0)} ms`,
      'one leader, edits and fan-outs together',
    ],
    [
      'blogs rewritten by fan-outs',
      `${count(edits.fanOutPerSecond)} a second`,
      edits.backlogSeconds < 120
        ? `${edits.backlogSeconds.toFixed(0)} s of this work is waiting at the end`
        : `more than one leader can do: ${edits.backlogSeconds.toFixed(0)} s of this work is waiting at the end`,
    ],
  ];
}

function checked({ check: { calculated, simulated } }: Result): readonly Row[] {
  return (['near', 'shared', 'computed'] as const).map((part) => [
    { near: 'from the memory of a process', shared: 'from Redis', computed: 'computed' }[part],
    percent(calculated[part]),
    percent(simulated[part]),
  ]);
}

function varied({ edits }: Result, scenario: Scenario, costs: Costs): readonly Row[] {
  return VARIATIONS.map(({ what, change }) => {
    const changed = { ...scenario, ...change };
    const answers = calculateAnswers(changed, costs);
    const { apiCores, postgresCores, redisBytes } = needsOf({ answers, edits }, changed, costs);
    return [
      what,
      percent(answers.computed),
      `API ${apiCores.toFixed(0)} cores, PostgreSQL ${postgresCores.toFixed(0)} cores, Redis ${bytesOf(redisBytes)}`,
    ];
  });
}

function needed(it: Needs, scenario: Scenario): readonly Row[] {
  return [
    [
      'API',
      `${it.apiCores.toFixed(1)} cores, ${it.apiProcesses} processes`,
      `each process 60 % busy; ${bytesOf(it.apiBytes)} of memory`,
    ],
    [
      'Redis',
      `${it.redisCores.toFixed(1)} cores, ${it.redisShards} masters`,
      `each 60 % busy; ${bytesOf(it.redisBytes)} of memory, for answers, and for the windows of ${count(it.keysAtOnce)} keys that reach their limit`,
    ],
    [
      'PostgreSQL, read tables and dashboard',
      `${it.postgresCores.toFixed(1)} cores`,
      'computed answers and edits',
    ],
    [
      'PostgreSQL, connections',
      count(it.connections),
      '10 for each process of the API, 4 for each of two workers',
    ],
    [
      'PostgreSQL, disk',
      bytesOf(it.readTableBytes),
      `${count(scenario.blogs)} blogs; a tenth of this, ${bytesOf(it.workingSetBytes)}, in memory`,
    ],
    [
      'PostgreSQL, WAL',
      `${bytesOf(it.walBytesPerSecond)} a second`,
      `${bytesOf(it.walBytesPerDay)} a day, both databases`,
    ],
    [
      'sync worker',
      `${it.workerCores.toFixed(2)} cores`,
      `one leader can do ${count(it.editsOfOneLeader)} single edits a second, or ${count(it.fanOutOfOneLeader)} rewritten blogs a second in addition to the edits: up to ${percent(it.renamesOfOneLeader)} of the edits may be renames`,
    ],
  ];
}

/** In Mermaid, which GitHub draws. */
function pictureOf({ answers }: Result, it: Needs, scenario: Scenario): string {
  const rate = (part: number) => count(part * scenario.requestsPerSecond);
  return [
    '```mermaid',
    'flowchart LR',
    `  consumers["consumers<br/>${count(scenario.requestsPerSecond)} requests a second"] --> api["API<br/>${it.apiProcesses} processes, ${it.apiCores.toFixed(1)} cores<br/>${percent(answers.near)} from local caches"]`,
    `  api -- "every request: limit and generation<br/>${rate(answers.shared)} answers a second" --> redis["Redis<br/>${it.redisShards} masters, ${bytesOf(it.redisBytes)}"]`,
    `  api -- "${rate(answers.computed)} computed answers a second" --> read[("read tables<br/>${bytesOf(it.readTableBytes)}")]`,
    `  dashboard[("dashboard<br/>${count(scenario.editsPerSecond)} edits a second")] -- "change queue" --> worker["sync worker<br/>one leader, one standby<br/>${it.workerCores.toFixed(2)} cores"]`,
    '  worker -- "rows, generations" --> read',
    '  worker -- "generations" --> redis',
    '```',
  ].join('\n');
}

function largest({ organizations, organizationZipf }: Scenario): number {
  let all = 0;
  for (let n = 1; n <= organizations; n++) all += n ** -organizationZipf;
  return 1 / all;
}

function tableOf(head: Row, rows: readonly Row[]): string {
  return [head, ['---', '---', '---'], ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function percent(part: number): string {
  return `${Number((part * 100).toPrecision(3))} %`;
}

function bytesOf(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${units[power]}`;
}
