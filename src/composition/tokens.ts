import type { RequestListener } from 'node:http';
import type { ServiceIdentifier } from 'inversify';
import type { Endpoint } from '../adapters/http/endpoints/operations.js';
import type { ApiMiddleware } from '../adapters/http/server/api-middleware.js';
import type { HttpServer } from '../adapters/http/server/http-server.js';
import type { ObserveRequest } from '../adapters/http/server/observe-request.js';
import type { MemoryReadModel } from '../adapters/memory/memory-read-model.js';
import type { MemoryResponseCache } from '../adapters/memory/memory-response-cache.js';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import type { ContentDatabase } from '../adapters/postgres/content-database.js';
import type { PrimaryIdentity } from '../adapters/postgres/primary-identity.js';
import type { ReadDatabase } from '../adapters/postgres/read-database.js';
import type { Replica } from '../adapters/postgres/replica.js';
import type { RedisBreaker } from '../adapters/redis/redis-breaker.js';
import type { RedisGenerations } from '../adapters/redis/redis-generations.js';
import type { RedisRequestLog } from '../adapters/redis/redis-request-log.js';
import type { RedisResponseCache } from '../adapters/redis/redis-response-cache.js';
import type { AdmitRequestHandler } from '../domain/admission/admit-request.js';
import type { AuthenticateKeyHandler } from '../domain/admission/authenticate-key.js';
import type { KnownGenerations } from '../domain/admission/known-generations.js';
import type { AnswerFromCacheHandler } from '../domain/answers/answer-from-cache.js';
import type { AnswerInOutageHandler } from '../domain/answers/answer-in-outage.js';
import type { StorageBreaker } from '../domain/answers/storage-breaker.js';
import type { Window } from '../domain/model/window.js';
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
  keyHasher: token<KeyHasher>('KeyHasher'),

  readDatabase: token<ReadDatabase>('ReadDatabase'),
  replicas: token<readonly Replica[]>('Replicas'),
  primaryIdentity: token<PrimaryIdentity>('PrimaryIdentity'),
  contentDatabase: token<ContentDatabase>('ContentDatabase'),
  memoryReadModel: token<MemoryReadModel>('MemoryReadModel'),
  blogReader: token<BlogReader>('BlogReader'),
  categoryReader: token<CategoryReader>('CategoryReader'),
  tagReader: token<TagReader>('TagReader'),
  keyTable: token<ApiKeyDirectory>('KeyTable'),
  generationTable: token<Generations & GenerationHistory>('GenerationTable'),
  installation: token<() => Promise<string>>('Installation'),

  tableBreaker: token<StorageBreaker>('TableBreaker'),
  contentBreaker: token<StorageBreaker>('ContentBreaker'),
  /** For requests. They may fail at once while the read tables are unavailable. */
  keysForRequests: token<ApiKeyDirectory>('KeysForRequests'),
  /** Replicas of the tables that `keyTable` reads. */
  replicasOfKeys: token<readonly Replica[]>('ReplicasOfKeys'),
  generationsForRequests: token<Generations>('GenerationsForRequests'),
  knownGenerations: token<Pick<KnownGenerations, 'current' | 'lastOf'>>('KnownGenerations'),

  apiKeyDirectory: token<ApiKeyDirectory>('ApiKeyDirectory'),
  redisBreaker: token<RedisBreaker>('RedisBreaker'),
  redisAnswersBreaker: token<RedisBreaker>('RedisAnswersBreaker'),
  redisRequestLog: token<RedisRequestLog>('RedisRequestLog'),
  redisGenerations: token<RedisGenerations>('RedisGenerations'),
  generations: token<Generations>('Generations'),
  publishedGenerations: token<PublishedGenerations>('PublishedGenerations'),
  requestLog: token<RequestLog>('RequestLog'),
  localAnswers: token<MemoryResponseCache>('LocalAnswers'),
  redisAnswers: token<RedisResponseCache>('RedisAnswers'),
  responseCache: token<ResponseCache>('ResponseCache'),
  lastAnswers: token<LastAnswers>('LastAnswers'),

  prometheus: token<PrometheusMetrics>('PrometheusMetrics'),
  window: token<Window>('Window'),
  authentication: token<AuthenticateKeyHandler>('AuthenticateKeyHandler'),
  admission: token<AdmitRequestHandler>('AdmitRequestHandler'),
  cachedAnswers: token<AnswerFromCacheHandler>('AnswerFromCacheHandler'),
  answers: token<Pick<AnswerInOutageHandler, 'handle'>>('Answers'),
  endpoints: token<readonly Endpoint[]>('Endpoints'),
  middleware: token<readonly ApiMiddleware[]>('Middleware'),
  observe: token<ObserveRequest>('ObserveRequest'),
  listener: token<RequestListener>('RequestListener'),
  httpServer: token<HttpServer>('HttpServer'),
};

export function token<Service>(name: string): ServiceIdentifier<Service> {
  return Symbol(name);
}
