import type { ServiceIdentifier } from 'inversify';
import type { HttpServer } from '../adapters/http/server/http-server.js';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import type { ReadDatabase } from '../adapters/postgres/connection/read-database.js';
import type { ContentDatabase } from '../adapters/postgres/read/content-database.js';
import type { PrimaryIdentity, Replica } from '../adapters/postgres/replicas/replica.js';
import type { RedisBreaker } from '../adapters/redis/connection/redis-breaker.js';
import type { RedisRequestLog } from '../adapters/redis/rate-limit/redis-request-log.js';
import type { PolledServer } from '../domain/admission/polled-generations.js';
import type { ApiKeyDirectory } from '../domain/ports/api-key-directory.js';
import type { BlogReader } from '../domain/ports/blog-reader.js';
import type { CategoryReader } from '../domain/ports/category-reader.js';
import type { Clock } from '../domain/ports/clock.js';
import type { GenerationHistory } from '../domain/ports/generation-history.js';
import type { Generations } from '../domain/ports/generations.js';
import type { KeyHasher } from '../domain/ports/key-hasher.js';
import type { LastAnswers } from '../domain/ports/last-answers.js';
import type { Log } from '../domain/ports/log.js';
import type { Metrics } from '../domain/ports/metrics.js';
import type { PublishedGenerations } from '../domain/ports/published-generations.js';
import type { RequestLog } from '../domain/ports/request-log.js';
import type { ResponseCache } from '../domain/ports/response-cache.js';
import type { TagReader } from '../domain/ports/tag-reader.js';

/** Typed names of everything in the container. The compiler checks what is bound to them and requested by them. */
export const TOKENS = {
  /** A clock that cannot be set. */
  monotonicClock: token<Clock>('MonotonicClock'),
  clock: token<Clock>('Clock'),
  log: token<Log>('Log'),
  metrics: token<Metrics>('Metrics'),
  prometheus: token<PrometheusMetrics>('PrometheusMetrics'),
  keyHasher: token<KeyHasher>('KeyHasher'),

  readDatabase: token<ReadDatabase>('ReadDatabase'),
  replicas: token<readonly Replica[]>('Replicas'),
  primaryIdentity: token<PrimaryIdentity>('PrimaryIdentity'),
  contentDatabase: token<ContentDatabase>('ContentDatabase'),
  blogReader: token<BlogReader>('BlogReader'),
  categoryReader: token<CategoryReader>('CategoryReader'),
  tagReader: token<TagReader>('TagReader'),
  keyTable: token<ApiKeyDirectory>('KeyTable'),
  generationTable: token<Generations & GenerationHistory>('GenerationTable'),
  /** The servers that have the generations, the primary first. */
  polledServers: token<readonly [PolledServer, ...PolledServer[]]>('PolledServers'),
  installation: token<() => Promise<string>>('Installation'),

  redisBreaker: token<RedisBreaker>('RedisBreaker'),
  redisAnswersBreaker: token<RedisBreaker>('RedisAnswersBreaker'),
  redisRequestLog: token<RedisRequestLog>('RedisRequestLog'),
  /** The cache of the project, also if an extension replaces `responseCache`. */
  cachedAnswers: token<ResponseCache & LastAnswers>('CachedAnswers'),
  publishedGenerations: token<PublishedGenerations>('PublishedGenerations'),
  requestLog: token<RequestLog>('RequestLog'),
  responseCache: token<ResponseCache>('ResponseCache'),
  lastAnswers: token<LastAnswers>('LastAnswers'),

  httpServer: token<HttpServer>('HttpServer'),
};

export function token<Service>(name: string): ServiceIdentifier<Service> {
  return Symbol(name);
}
