import { Container, type ServiceIdentifier } from 'inversify';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import { openLog } from '../adapters/system/pino-log.js';
import { Sha256KeyHasher } from '../adapters/system/sha256-key-hasher.js';
import { MonotonicClock, SystemClock } from '../adapters/system/system-clock.js';
import { createPorts } from './extensions/create-ports.js';
import { bindExtended, type Extended, extendedApi } from './extensions/extend.js';
import type { ApiAdditions } from './extensions/extension.js';
import { postgresStorage } from './postgres-storage.js';
import { inMemory, redisState } from './redis-state.js';
import { requestPath } from './request-path.js';
import type { ApiConfiguration } from './settings/configuration.js';
import { NEEDED_BY_API, TOKENS } from './tokens.js';

const { readDatabase, redisBreaker, redisAnswersBreaker } = TOKENS;

export type ApiParts = ReturnType<typeof apiParts>;

/**
 * What an API consists of, with null for a connection that nothing uses. Each port is an
 * extension's, or that of the configuration. Throws a ConfigurationError.
 */
export function apiParts(
  configuration: ApiConfiguration,
  metrics: PrometheusMetrics,
  { extensions, replaced, bindings }: Extended<ApiAdditions> = extendedApi([], {}),
) {
  const { redisUrls } = configuration;
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(
    postgresStorage(configuration),
    redisUrls === null ? inMemory() : redisState(redisUrls, configuration),
  );
  container.bind(TOKENS.clock).toResolvedValue(() => new SystemClock());
  container.bind(TOKENS.monotonicClock).toResolvedValue(() => new MonotonicClock());
  container.bind(TOKENS.keyHasher).toResolvedValue(() => new Sha256KeyHasher());
  container.bind(TOKENS.metrics).toConstantValue(metrics);
  container.bind(TOKENS.log).toResolvedValue(() => openLog(configuration));
  bindExtended(container, bindings);
  const servers = [readDatabase, TOKENS.replicas, redisBreaker, redisAnswersBreaker];
  const { ports, find, close } = createPorts(container, NEEDED_BY_API, servers);
  // Replicas only serve the tables of the primary.
  const replicasOf = (table: ServiceIdentifier) =>
    replaced.has(table) ? [] : container.get(TOKENS.replicas);
  const requestPorts = {
    ...ports,
    monotonicClock: container.get(TOKENS.monotonicClock),
    keyReplicas: replicasOf(TOKENS.keyTable),
    generationReplicas: replicasOf(TOKENS.generationTable),
  };
  const middleware = extensions.flatMap(({ additions }) => additions.middleware ?? []);
  const path = requestPath(requestPorts, configuration, middleware, metrics.countRequest.bind(metrics));
  const replicas = find(TOKENS.replicas) ?? [];
  return {
    ...path,
    ports,
    readDatabase: find(readDatabase),
    redis: find(redisBreaker),
    redisAnswers: find(redisAnswersBreaker),
    raiseListener: replaced.has(TOKENS.generationTable) ? null : container.get(TOKENS.raiseListener),
    primaryIdentity: replicas.length === 0 ? null : container.get(TOKENS.primaryIdentity),
    replicas,
    close,
  };
}
