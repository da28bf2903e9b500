import type { ServiceIdentifier } from 'inversify';
import { SESSION } from '../session-tokens.js';
import { TOKENS } from '../tokens.js';

/** The driven ports of the API. An extension may replace all of them. */
export const API_PORTS = {
  clock: TOKENS.clock,
  log: TOKENS.log,
  metrics: TOKENS.metrics,
  keyHasher: TOKENS.keyHasher,
  blogReader: TOKENS.blogReader,
  categoryReader: TOKENS.categoryReader,
  tagReader: TOKENS.tagReader,
  /** The stored keys. */
  keyTable: TOKENS.keyTable,
  /** The stored generations. */
  generationTable: TOKENS.generationTable,
  /** Where this process learns of a raised generation sooner than from `generationTable`, which it polls. */
  publishedGenerations: TOKENS.publishedGenerations,
  requestLog: TOKENS.requestLog,
  responseCache: TOKENS.responseCache,
  /**
   * The last answers of the response cache. An extension that replaces the cache has to bind this as well, or no stale answer is served.
   */
  lastAnswers: TOKENS.lastAnswers,
  /** Identifies the stored read model. The default adapters use it in the names of their Redis keys. */
  installation: TOKENS.installation,
};

/** The driven ports that the sync worker has for as long as it runs. */
export const WORKER_PORTS = { log: TOKENS.log, metrics: TOKENS.metrics };

/** The driven ports of a session of the worker. */
export const SESSION_PORTS = {
  /** A leader that has not written for ten seconds is considered frozen. */
  leadership: SESSION.leadership,
  changeFeed: SESSION.changeFeed,
  contentSource: SESSION.contentSource,
  readModelWriter: SESSION.readModelWriter,
  jobQueue: SESSION.jobQueue,
  syncNotes: SESSION.syncNotes,
  /** The stored generations. */
  generationTable: SESSION.generationTable,
  /** Where generations are published for all processes. */
  publishedGenerations: SESSION.publishedGenerations,
  /** Identifies the stored read model, for published generations in Redis. */
  installation: SESSION.installation,
};

const CONTENT_PORTS: readonly ServiceIdentifier[] = [
  API_PORTS.blogReader,
  API_PORTS.categoryReader,
  API_PORTS.tagReader,
];

const READ_PORTS: readonly ServiceIdentifier[] = [
  ...CONTENT_PORTS,
  API_PORTS.keyTable,
  API_PORTS.generationTable,
];

const STORED_PORTS: readonly ServiceIdentifier[] = [
  SESSION.leadership,
  SESSION.readModelWriter,
  SESSION.jobQueue,
  SESSION.syncNotes,
  SESSION.generationTable,
];

const DASHBOARD_PORTS: readonly ServiceIdentifier[] = [SESSION.changeFeed, SESSION.contentSource];

/** The names of the extensions that bind ports, by the tokens of the ports. */
export type Replacements = ReadonlyMap<ServiceIdentifier, string>;

/** By the names of the ports. */
export function namesOfReplaced(replaced: readonly Replacements[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    replaced.flatMap((each) => [...each].map(([token, extension]) => [nameOfPort(token), extension])),
  );
}

export const NOTHING_REPLACED: Replacements = new Map();

/** For reading settings when it is unknown what extensions would replace. */
export const ALL_REPLACED: Replacements = new Map(
  [...Object.values(API_PORTS), ...Object.values(SESSION_PORTS)].map((token) => [token, '']),
);

/** The servers that the remaining default adapters use. */
export interface ApiNeeds {
  /** The ports that read from it. None: it is not used. */
  readonly readDatabase: readonly string[];
  /** Whether content is read from it, or from its replicas. */
  readonly content: boolean;
  /** Whether keys are read from it. */
  readonly keys: boolean;
  /** Whether generations are read from it. */
  readonly generations: boolean;
  /** For limits or generations. */
  readonly redis: boolean;
  readonly redisAnswers: boolean;
}

export function needsOfApi(replaced: Replacements, hasRedis: boolean): ApiNeeds {
  const isLeft = (token: ServiceIdentifier) => !replaced.has(token);
  const redis = hasRedis && (isLeft(API_PORTS.requestLog) || isLeft(API_PORTS.publishedGenerations));
  const redisAnswers = hasRedis && isLeft(API_PORTS.responseCache);
  const reading = redis || redisAnswers ? [...READ_PORTS, API_PORTS.installation] : READ_PORTS;
  const content = CONTENT_PORTS.some(isLeft);
  const keys = isLeft(API_PORTS.keyTable);
  const generations = isLeft(API_PORTS.generationTable);
  return {
    readDatabase: reading.filter(isLeft).map(nameOfPort),
    content,
    keys,
    generations,
    redis,
    redisAnswers,
  };
}

export interface WorkerNeeds {
  /** The ports that use the read tables. None: they are not used. */
  readonly readDatabase: readonly string[];
  /** The ports that use the dashboard's database. */
  readonly dashboard: readonly string[];
  readonly redis: boolean;
}

export function needsOfWorker(replaced: Replacements, hasRedis: boolean): WorkerNeeds {
  const isLeft = (token: ServiceIdentifier) => !replaced.has(token);
  const redis = hasRedis && isLeft(SESSION.publishedGenerations);
  const stored = redis ? [...STORED_PORTS, SESSION.installation] : STORED_PORTS;
  return {
    readDatabase: stored.filter(isLeft).map(nameOfPort),
    dashboard: DASHBOARD_PORTS.filter(isLeft).map(nameOfPort),
    redis,
  };
}

/** The extensions that replace everything that the worker stores in the read tables by default. */
export function readModelHolders(replaced: Replacements): readonly string[] {
  return holders(replaced, STORED_PORTS);
}

/** The extensions that replace the dashboard's content. None: some of it still comes from its database. */
export function dashboardHolders(replaced: Replacements): readonly string[] {
  return DASHBOARD_PORTS.every((token) => replaced.has(token)) ? holders(replaced, DASHBOARD_PORTS) : [];
}

function holders(replaced: Replacements, ports: readonly ServiceIdentifier[]): readonly string[] {
  return [...new Set(ports.flatMap((token) => replaced.get(token) ?? []))];
}

export function nameOfPort(token: ServiceIdentifier): string {
  return typeof token === 'symbol' ? (token.description ?? '') : String(token);
}
