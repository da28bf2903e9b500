import { Container } from 'inversify';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import { openLog } from '../adapters/system/pino-log.js';
import { Sha256KeyHasher } from '../adapters/system/sha256-key-hasher.js';
import { MonotonicClock, SystemClock } from '../adapters/system/system-clock.js';
import { createPorts } from './extensions/create-ports.js';
import { bindExtended, type Extended } from './extensions/extend.js';
import type { ApiAdditions } from './extensions/extension.js';
import { READ_TABLES, readTables } from './read-tables.js';
import { ANSWERS_IN_REDIS, LIMITS_IN_REDIS, redisState } from './redis-state.js';
import { requestPath } from './request-path.js';
import type { ApiConfiguration } from './settings/configuration.js';
import { API_PORTS, MONOTONIC_CLOCK } from './tokens.js';

/** Adapters of Redis ask for the installation when they need it. */
const { installation: _, ...NEEDED } = API_PORTS;

export type ApiParts = ReturnType<typeof apiParts>;

/**
 * What an API consists of, without connections that nothing uses. Each port is an extension's, or
 * that of the configuration. Throws a ConfigurationError.
 */
export function apiParts(
  configuration: ApiConfiguration,
  metrics: PrometheusMetrics,
  { extensions, bindings, wrongSettings }: Extended<ApiAdditions>,
) {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(API_PORTS.clock).toConstantValue(new SystemClock());
  container.bind(MONOTONIC_CLOCK).toConstantValue(new MonotonicClock());
  container.bind(API_PORTS.keyHasher).toConstantValue(new Sha256KeyHasher());
  container.bind(API_PORTS.metrics).toConstantValue(metrics);
  container.bind(API_PORTS.log).toResolvedValue(() => openLog(configuration));
  container.load(readTables(configuration), redisState(configuration));
  bindExtended(container, bindings);
  const servers = [READ_TABLES, LIMITS_IN_REDIS, ANSWERS_IN_REDIS];
  const { ports, find, close } = createPorts(container, NEEDED, servers, wrongSettings);
  const requestPorts = { ...ports, monotonicClock: container.get(MONOTONIC_CLOCK) };
  const middleware = extensions.flatMap(({ additions }) => additions.middleware ?? []);
  const redis = [
    { name: 'redis', breaker: find(LIMITS_IN_REDIS) },
    { name: 'redisCache', breaker: find(ANSWERS_IN_REDIS) },
  ] as const;
  return {
    ...requestPath(requestPorts, configuration, middleware, metrics.countRequest.bind(metrics)),
    ports,
    readTables: find(READ_TABLES),
    redis: redis.flatMap(({ name, breaker }) => (breaker === null ? [] : [{ name, breaker }])),
    close,
  };
}
