import { Container, type ServiceIdentifier } from 'inversify';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import { openLog } from '../adapters/system/pino-log.js';
import { Sha256KeyHasher } from '../adapters/system/sha256-key-hasher.js';
import { MonotonicClock, SystemClock } from '../adapters/system/system-clock.js';
import { type Created, createPorts } from './extensions/create-ports.js';
import { bindExtended, type Extended, extendedApi } from './extensions/extend.js';
import type { ApiAdditions } from './extensions/extension.js';
import { memoryState } from './modules/memory-state.js';
import { postgresStorage } from './modules/postgres-storage.js';
import { redisState } from './modules/redis-state.js';
import { requestPath } from './request-path.js';
import type { ApiConfiguration } from './settings/configuration.js';
import { NEEDED_BY_API, type NeededByApi, TOKENS } from './tokens.js';

/** Server connections, which exist only if something uses them. */
const SERVERS: readonly ServiceIdentifier[] = [
  TOKENS.readDatabase,
  TOKENS.replicas,
  TOKENS.redisBreaker,
  TOKENS.redisAnswersBreaker,
];

/**
 * The parts of the API: each port is an extension's, or that of the configuration. Throws a
 * ConfigurationError.
 */
export function apiContainer(
  configuration: ApiConfiguration,
  metrics: PrometheusMetrics,
  extended: Extended<ApiAdditions> = extendedApi([], {}),
): Created<NeededByApi> {
  const { redisUrls } = configuration;
  const { extensions, replaced } = extended;
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(
    postgresStorage(configuration),
    redisUrls === null ? memoryState() : redisState(redisUrls, configuration),
  );
  container.bind(TOKENS.clock).toResolvedValue(() => new SystemClock());
  container.bind(TOKENS.monotonicClock).toResolvedValue(() => new MonotonicClock());
  container.bind(TOKENS.keyHasher).toResolvedValue(() => new Sha256KeyHasher());
  container.bind(TOKENS.metrics).toConstantValue(metrics);
  container.bind(TOKENS.log).toResolvedValue(() => openLog(configuration));
  bindExtended(container, extended);
  const created = createPorts(container, NEEDED_BY_API, SERVERS);
  container.bind(TOKENS.requestPath).toDynamicValue(({ get }) => {
    // Replicas only serve the tables of the primary.
    const replicasOf = (table: ServiceIdentifier) => (replaced.has(table) ? [] : get(TOKENS.replicas));
    const ports = {
      ...created.ports,
      monotonicClock: get(TOKENS.monotonicClock),
      keyReplicas: replicasOf(TOKENS.keyTable),
      generationReplicas: replicasOf(TOKENS.generationTable),
    };
    return requestPath(ports, configuration, {
      middleware: extensions.flatMap(({ additions }) => additions.middleware ?? []),
      count: metrics.countRequest.bind(metrics),
    });
  });
  return created;
}
