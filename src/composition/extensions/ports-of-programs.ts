import type { ServiceIdentifier } from 'inversify';
import { SESSION } from '../session-tokens.js';
import { TOKENS } from '../tokens.js';

/** The driven ports of the API, all of which an extension may replace. */
export const API_PORTS = {
  clock: TOKENS.clock,
  log: TOKENS.log,
  metrics: TOKENS.metrics,
  keyHasher: TOKENS.keyHasher,
  blogReader: TOKENS.blogReader,
  categoryReader: TOKENS.categoryReader,
  tagReader: TOKENS.tagReader,
  /** The keys as they are stored. */
  keyTable: TOKENS.keyTable,
  /** The keys as a process remembers them, over `keyTable`. */
  apiKeyDirectory: TOKENS.apiKeyDirectory,
  /** The generations as they are stored. */
  generationTable: TOKENS.generationTable,
  /** The generations as all processes see them: by default those of the list of published generations, which asks `generationTable` for what it does not know. */
  generations: TOKENS.generations,
  /** Where to publish generations that a worker left unpublished: what is bound is kept in step with `generationTable`. */
  publishedGenerations: TOKENS.publishedGenerations,
  requestLog: TOKENS.requestLog,
  responseCache: TOKENS.responseCache,
  /** What the response cache kept last: an extension that has another cache binds this as well, or no stale answer is served. */
  lastAnswers: TOKENS.lastAnswers,
  /** Names the stored read model: what the default adapters keep in Redis has it in its name. */
  installation: TOKENS.installation,
};

/** The driven ports that the sync worker has for as long as it runs. */
export const WORKER_PORTS = { log: TOKENS.log, metrics: TOKENS.metrics };

/** The driven ports of a session of the worker. */
export const SESSION_PORTS = {
  /** Who has not written for ten seconds is taken for frozen. */
  leadership: SESSION.leadership,
  changeFeed: SESSION.changeFeed,
  contentSource: SESSION.contentSource,
  readModelWriter: SESSION.readModelWriter,
  jobQueue: SESSION.jobQueue,
  syncNotes: SESSION.syncNotes,
  /** The generations as they are stored. */
  generationTable: SESSION.generationTable,
  /** Where they are published, for all processes. */
  publishedGenerations: SESSION.publishedGenerations,
  /** What is shown there. */
  generations: SESSION.generations,
  /** Names the stored read model, for a list of published generations in Redis. */
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

/** By the tokens of the ports: the names of the extensions that bind them. */
export type Replacements = ReadonlyMap<ServiceIdentifier, string>;

/** By the names of the ports. */
export function namesOfReplaced(replaced: readonly Replacements[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    replaced.flatMap((each) => [...each].map(([token, extension]) => [nameOfPort(token), extension])),
  );
}

export const NOTHING_REPLACED: Replacements = new Map();

/** For settings that are read although it is not known what extensions would have replaced. */
export const ALL_REPLACED: Replacements = new Map(
  [...Object.values(API_PORTS), ...Object.values(SESSION_PORTS)].map((token) => [token, '']),
);

/** Which of the servers of the default adapters are left to use. */
export interface ApiNeeds {
  /** The ports that read from it; none: nobody does. */
  readonly readDatabase: readonly string[];
  /** Whether content is read from it, or from its replicas. */
  readonly content: boolean;
  /** Whether keys are read from it. */
  readonly keys: boolean;
  /** For limits or generations. */
  readonly redis: boolean;
  readonly redisAnswers: boolean;
}

export function needsOfApi(replaced: Replacements, hasRedis: boolean): ApiNeeds {
  const isLeft = (token: ServiceIdentifier) => !replaced.has(token);
  const redis = hasRedis && (isLeft(API_PORTS.requestLog) || isLeft(API_PORTS.generations));
  const redisAnswers = hasRedis && isLeft(API_PORTS.responseCache);
  const reading = redis || redisAnswers ? [...READ_PORTS, API_PORTS.installation] : READ_PORTS;
  const content = CONTENT_PORTS.some(isLeft);
  const keys = isLeft(API_PORTS.keyTable);
  return { readDatabase: reading.filter(isLeft).map(nameOfPort), content, keys, redis, redisAnswers };
}

export interface WorkerNeeds {
  /** The ports that are in the read tables; none: nothing is. */
  readonly readDatabase: readonly string[];
  /** The ports that are in the dashboard's database. */
  readonly dashboard: readonly string[];
  readonly redis: boolean;
}

export function needsOfWorker(replaced: Replacements, hasRedis: boolean): WorkerNeeds {
  const isLeft = (token: ServiceIdentifier) => !replaced.has(token);
  const redis = hasRedis && (isLeft(SESSION.publishedGenerations) || isLeft(SESSION.generations));
  const stored = redis ? [...STORED_PORTS, SESSION.installation] : STORED_PORTS;
  return {
    readDatabase: stored.filter(isLeft).map(nameOfPort),
    dashboard: DASHBOARD_PORTS.filter(isLeft).map(nameOfPort),
    redis,
  };
}

/** The extensions that have what the worker keeps in the read tables by default. */
export function readModelHolders(replaced: Replacements): readonly string[] {
  return holders(replaced, STORED_PORTS);
}

/** Those that have the dashboard's content; none: some of it is left to its database. */
export function dashboardHolders(replaced: Replacements): readonly string[] {
  return DASHBOARD_PORTS.every((token) => replaced.has(token)) ? holders(replaced, DASHBOARD_PORTS) : [];
}

function holders(replaced: Replacements, ports: readonly ServiceIdentifier[]): readonly string[] {
  return [...new Set(ports.flatMap((token) => replaced.get(token) ?? []))];
}

export function nameOfPort(token: ServiceIdentifier): string {
  return typeof token === 'symbol' ? (token.description ?? '') : String(token);
}
