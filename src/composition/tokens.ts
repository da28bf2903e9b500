import type { ServiceIdentifier } from 'inversify';
import type { MappedConnection } from '../adapters/dashboard/source/mapped-dashboard.js';
import type { ReadDatabase } from '../adapters/postgres/connection/read-database.js';
import type { WorkerConnection } from '../adapters/postgres/connection/worker-connection.js';
import type { ContentDatabase } from '../adapters/postgres/read/content-database.js';
import type { RaiseListener } from '../adapters/postgres/read/raise-listener.js';
import type { PrimaryIdentity, Replica } from '../adapters/postgres/replicas/replica.js';
import type { RedisBreaker } from '../adapters/redis/connection/redis-breaker.js';
import type { Clock } from '../domain/ports/system/clock.js';
import type { ApiPorts, WorkerPorts } from './extensions/extension.js';

/** The token of a port, or of another part of a container. */
export type Token = ServiceIdentifier;

export type Tokens<Ports> = { readonly [Name in keyof Ports]: ServiceIdentifier<Ports[Name]> };

export const API_PORTS: Tokens<ApiPorts> = {
  clock: token('Clock'),
  log: token('Log'),
  metrics: token('Metrics'),
  keyHasher: token('KeyHasher'),
  blogReader: token('BlogReader'),
  categoryReader: token('CategoryReader'),
  tagReader: token('TagReader'),
  keyTable: token('KeyTable'),
  generationTable: token('GenerationTable'),
  requestLog: token('RequestLog'),
  responseCache: token('ResponseCache'),
  installation: token('Installation'),
};

const { installation, ...ports } = API_PORTS;
/** The adapters of Redis look the installation up when they need it. */
export const NEEDED_BY_API = ports;
export type NeededByApi = Omit<ApiPorts, 'installation'>;

/** Ports that a worker has for as long as it runs. */
export type LastingPorts = Pick<WorkerPorts, 'log' | 'metrics'>;
export const LASTING_PORTS: Tokens<LastingPorts> = { log: API_PORTS.log, metrics: API_PORTS.metrics };

/** Its other ports belong to a session, which lasts until the first failure. */
export type NeededBySession = Omit<WorkerPorts, 'log' | 'metrics'>;

export const SESSION_PORTS: Tokens<NeededBySession> = {
  leadership: token('Leadership'),
  readModelWriter: token('ReadModelWriter'),
  jobQueue: token('JobQueue'),
  syncNotes: token('SyncNotes'),
  generationTable: API_PORTS.generationTable,
  changeFeed: token('ChangeFeed'),
  contentSource: token('ContentSource'),
};

export const SESSION = {
  ...SESSION_PORTS,
  readTables: token<WorkerConnection>('ReadTables'),
  dashboard: token<MappedConnection>('Dashboard'),
};

/** Typed names of all in the container, so that the compiler checks what is bound. */
export const TOKENS = {
  ...API_PORTS,
  /** A clock that cannot be set. */
  monotonicClock: token<Clock>('MonotonicClock'),

  readDatabase: token<ReadDatabase>('ReadDatabase'),
  replicas: token<readonly Replica[]>('Replicas'),
  primaryIdentity: token<PrimaryIdentity>('PrimaryIdentity'),
  contentDatabase: token<ContentDatabase>('ContentDatabase'),
  raiseListener: token<RaiseListener>('RaiseListener'),

  redisBreaker: token<RedisBreaker>('RedisBreaker'),
  /** Of the server that also has the answers; null: that is another one. */
  fasterBreaker: token<RedisBreaker | null>('FasterBreaker'),
  redisAnswersBreaker: token<RedisBreaker>('RedisAnswersBreaker'),
};

export function token<Service>(name: string): ServiceIdentifier<Service> {
  return Symbol(name);
}

export function nameOfPort(token: Token): string {
  return typeof token === 'symbol' ? (token.description ?? '') : String(token);
}
