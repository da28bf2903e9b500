import type { ServiceIdentifier } from 'inversify';
import type { HttpServer } from '../adapters/http/server/http-server.js';
import type { ReadDatabase } from '../adapters/postgres/connection/read-database.js';
import type { ContentDatabase } from '../adapters/postgres/read/content-database.js';
import type { PrimaryIdentity, Replica } from '../adapters/postgres/replicas/replica.js';
import type { RedisBreaker } from '../adapters/redis/connection/redis-breaker.js';
import type { RedisRequestLog } from '../adapters/redis/rate-limit/redis-request-log.js';
import type { PolledServer } from '../domain/admission/polled-generations.js';
import type { Clock } from '../domain/ports/clock.js';
import type { ApiPorts } from './extensions/extension.js';

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
  publishedGenerations: token('PublishedGenerations'),
  requestLog: token('RequestLog'),
  responseCache: token('ResponseCache'),
  installation: token('Installation'),
};

const { installation, ...ports } = API_PORTS;
/** The adapters of Redis look the installation up when they need it. */
export const NEEDED_BY_API = Object.values<ServiceIdentifier>(ports);

/** Typed names of all in the container, so that the compiler checks what is bound. */
export const TOKENS = {
  ...API_PORTS,
  /** A clock that cannot be set. */
  monotonicClock: token<Clock>('MonotonicClock'),

  readDatabase: token<ReadDatabase>('ReadDatabase'),
  replicas: token<readonly Replica[]>('Replicas'),
  primaryIdentity: token<PrimaryIdentity>('PrimaryIdentity'),
  contentDatabase: token<ContentDatabase>('ContentDatabase'),
  /** The servers that have the generations, the primary first. */
  polledServers: token<readonly [PolledServer, ...PolledServer[]]>('PolledServers'),

  redisBreaker: token<RedisBreaker>('RedisBreaker'),
  redisAnswersBreaker: token<RedisBreaker>('RedisAnswersBreaker'),
  redisRequestLog: token<RedisRequestLog>('RedisRequestLog'),

  httpServer: token<HttpServer>('HttpServer'),
};

export function token<Service>(name: string): ServiceIdentifier<Service> {
  return Symbol(name);
}

export function nameOfPort(token: Token): string {
  return typeof token === 'symbol' ? (token.description ?? '') : String(token);
}
