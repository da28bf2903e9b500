import type { RequestListener } from 'node:http';
import type { ServiceIdentifier } from 'inversify';
import type { ApiMiddleware } from '../adapters/http/api-middleware.js';
import type { Endpoint } from '../adapters/http/endpoint.js';
import type { HttpServer } from '../adapters/http/http-server.js';
import type { ObserveRequest } from '../adapters/http/observe-request.js';
import type { MemoryReadModel } from '../adapters/memory/memory-read-model.js';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import type { ReadDatabase } from '../adapters/postgres/read-database.js';
import type { RedisGenerations } from '../adapters/redis/redis-generations.js';
import type { RedisGuard } from '../adapters/redis/redis-guard.js';
import type { RedisRequestLog } from '../adapters/redis/redis-request-log.js';
import type { Window } from '../domain/model/window.js';
import type { ApiKeyDirectory } from '../domain/ports/api-key-directory.js';
import type { BlogReader } from '../domain/ports/blog-reader.js';
import type { CategoryReader } from '../domain/ports/category-reader.js';
import type { Clock } from '../domain/ports/clock.js';
import type { GenerationBoard } from '../domain/ports/generation-board.js';
import type { GenerationHistory } from '../domain/ports/generation-history.js';
import type { Generations } from '../domain/ports/generations.js';
import type { KeyHasher } from '../domain/ports/key-hasher.js';
import type { Log } from '../domain/ports/log.js';
import type { Metrics } from '../domain/ports/metrics.js';
import type { RequestLog } from '../domain/ports/request-log.js';
import type { ResponseCache } from '../domain/ports/response-cache.js';
import type { TagReader } from '../domain/ports/tag-reader.js';
import type { AdmitRequestHandler } from '../domain/queries/admit-request.js';
import type { AnswerFromCacheHandler } from '../domain/queries/answer-from-cache.js';
import type { AuthenticateKeyHandler } from '../domain/queries/authenticate-key.js';
import type { Upkeep } from './upkeep.js';

/** Typed names of all that the container makes: the compiler checks what is bound to them and what is asked of them. */
export const TOKENS = {
  clock: token<Clock>('Clock'),
  log: token<Log>('Log'),
  metrics: token<Metrics>('Metrics'),
  keyHasher: token<KeyHasher>('KeyHasher'),

  readDatabase: token<ReadDatabase>('ReadDatabase'),
  memoryReadModel: token<MemoryReadModel>('MemoryReadModel'),
  blogReader: token<BlogReader>('BlogReader'),
  categoryReader: token<CategoryReader>('CategoryReader'),
  tagReader: token<TagReader>('TagReader'),
  keyTable: token<ApiKeyDirectory>('KeyTable'),
  generationTable: token<Generations & GenerationHistory>('GenerationTable'),
  installation: token<() => Promise<string>>('Installation'),

  apiKeyDirectory: token<ApiKeyDirectory>('ApiKeyDirectory'),
  redisGuard: token<RedisGuard>('RedisGuard'),
  redisAnswersGuard: token<RedisGuard>('RedisAnswersGuard'),
  redisRequestLog: token<RedisRequestLog>('RedisRequestLog'),
  redisGenerations: token<RedisGenerations>('RedisGenerations'),
  generations: token<Generations>('Generations'),
  generationBoard: token<GenerationBoard>('GenerationBoard'),
  requestLog: token<RequestLog>('RequestLog'),
  responseCache: token<ResponseCache>('ResponseCache'),
  upkeep: token<Upkeep>('Upkeep'),

  prometheus: token<PrometheusMetrics>('PrometheusMetrics'),
  window: token<Window>('Window'),
  authentication: token<AuthenticateKeyHandler>('AuthenticateKeyHandler'),
  admission: token<AdmitRequestHandler>('AdmitRequestHandler'),
  answers: token<AnswerFromCacheHandler>('AnswerFromCacheHandler'),
  endpoints: token<readonly Endpoint[]>('Endpoints'),
  middleware: token<readonly ApiMiddleware[]>('Middleware'),
  observe: token<ObserveRequest>('ObserveRequest'),
  listener: token<RequestListener>('RequestListener'),
  httpServer: token<HttpServer>('HttpServer'),
};

export function token<Service>(name: string): ServiceIdentifier<Service> {
  return Symbol(name);
}
