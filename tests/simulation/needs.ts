import type { AnswersResult } from './answers-result.js';
import type { Costs } from './costs.js';
import type { EditsResult } from './edits.js';
import type { Scenario } from './scenario.js';

/** Of a core, or of the single thread of Redis and of a process: with a higher load, requests wait. */
const USED_PART = 0.6;
const CONNECTIONS_OF_PROCESS = 10;
/** Connections to the databases: for leadership, for the dashboard, and one more for the probes of each. */
const CONNECTIONS_OF_WORKER = 4;
const WORKERS = 2;
/** The batch of the worker. */
const BATCH = 1_000;
const DAY_SECONDS = 86_400;
/** The limit of a key's window: `RATE_LIMIT_MAX` requests in a minute. */
const REQUESTS_OF_KEY_PER_SECOND = 100 / 60;
/** The part of the read tables that is read often. */
const WORKING_SET = 0.1;

export interface Result {
  readonly answers: AnswersResult;
  readonly edits: EditsResult;
  /** The results for a hundredth of the load, calculated, and simulated request by request. */
  readonly check: { readonly calculated: AnswersResult; readonly simulated: AnswersResult };
}

export interface Needs {
  readonly apiCores: number;
  readonly apiProcesses: number;
  readonly apiBytes: number;
  readonly redisCores: number;
  readonly redisShards: number;
  readonly redisBytes: number;
  readonly keysAtOnce: number;
  readonly postgresCores: number;
  readonly connections: number;
  readonly readTableBytes: number;
  readonly workingSetBytes: number;
  readonly walBytesPerSecond: number;
  readonly walBytesPerDay: number;
  readonly workerCores: number;
  readonly editsOfOneLeader: number;
  readonly fanOutOfOneLeader: number;
  /** The share of the edits that may be renames before one leader falls behind. */
  readonly renamesOfOneLeader: number;
}

/** A scenario in which one assumption differs. */
export interface Variation {
  readonly what: string;
  readonly change: Partial<Scenario>;
}

export const VARIATIONS: readonly Variation[] = [
  { what: 'none', change: {} },
  {
    what: 'lifetimes of an hour',
    change: { lifetimeSeconds: { detail: 3_600, list: 3_600, search: 3_600 } },
  },
  { what: '20 edits a second', change: { editsPerSecond: 20 } },
  { what: '2,000 edits a second', change: { editsPerSecond: 2_000 } },
  { what: 'more evenly requested blogs (1 / n^0.9)', change: { addressZipf: 0.9 } },
  { what: 'no searches', change: { kinds: { detail: 0.72, list: 0.28, search: 0 } } },
];

/** The needs of the scenario, from the simulated results and the measured costs. */
export function needsOf(
  { answers, edits }: Pick<Result, 'answers' | 'edits'>,
  scenario: Scenario,
  { requests, edit, bytes, memoryOfApi }: Costs,
): Needs {
  const { requestsPerSecond, editsPerSecond } = scenario;
  const parts = [
    [answers.near, requests.near],
    [answers.shared, requests.shared],
    [answers.computed, requests.computed],
  ] as const;
  const coresOf = (part: 'api' | 'redis' | 'postgres') =>
    parts.reduce((sum, [share, cost]) => sum + (share * requestsPerSecond * cost[part]) / 1e6, 0);
  const written = editsPerSecond + edits.fanOutPerSecond;
  const apiCores = coresOf('api');
  const redisCores = coresOf('redis');
  const apiProcesses = Math.ceil(apiCores / USED_PART);
  const keysAtOnce = requestsPerSecond / REQUESTS_OF_KEY_PER_SECOND;
  const readTableBytes = scenario.blogs * bytes.ofBlogInAll;
  const wal = written * edit.walBytes;
  return {
    apiCores,
    apiProcesses,
    apiBytes: apiProcesses * memoryOfApi,
    redisCores,
    redisShards: Math.ceil(redisCores / USED_PART),
    redisBytes: answers.bytesInRedis + keysAtOnce * bytes.windowInRedis,
    keysAtOnce,
    postgresCores: coresOf('postgres') + (written * edit.postgres) / 1e6,
    connections: apiProcesses * CONNECTIONS_OF_PROCESS + WORKERS * CONNECTIONS_OF_WORKER,
    readTableBytes,
    workingSetBytes: readTableBytes * WORKING_SET,
    walBytesPerSecond: wal,
    walBytesPerDay: wal * DAY_SECONDS,
    workerCores: (written * edit.worker) / 1e6,
    editsOfOneLeader: (BATCH * 1_000) / (edit.aloneMs + BATCH * edit.fanOutMs),
    // The leader does one step of a job between two batches of edits: this takes about half of the time.
    fanOutOfOneLeader: 500 / edit.fanOutMs,
    renamesOfOneLeader: (scenario.renames * 500) / edit.fanOutMs / edits.fanOutPerSecond,
  };
}
