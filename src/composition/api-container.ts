import { Container, type ServiceIdentifier } from 'inversify';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import { ReplicaGenerations } from '../adapters/postgres/replicas/replica-generations.js';
import { MonotonicClock } from '../adapters/system/monotonic-clock.js';
import { Sha256KeyHasher } from '../adapters/system/sha256-key-hasher.js';
import { SystemClock } from '../adapters/system/system-clock.js';
import { PolledServer } from '../domain/admission/polled-generations.js';
import { bindExtended, type Extended, extendedApi, type Replaced } from './extensions/extend.js';
import type { ApiAdditions } from './extensions/extension.js';
import { memoryState } from './modules/memory-state.js';
import { postgresStorage } from './modules/postgres-storage.js';
import { redisState } from './modules/redis-state.js';
import { type Created, notingCreated } from './noting-created.js';
import { openLog } from './open-log.js';
import { type RequestPorts, requestPath } from './request-path.js';
import type { ApiConfiguration } from './settings/configuration.js';
import { TOKENS } from './tokens.js';

/** Server connections, which exist only if something uses them. */
const SERVERS: readonly ServiceIdentifier[] = [
  TOKENS.readDatabase,
  TOKENS.replicas,
  TOKENS.redisBreaker,
  TOKENS.redisAnswersBreaker,
];

/** The parts of the API: each port is an extension's, or that of the configuration. */
export function apiContainer(
  configuration: ApiConfiguration,
  metrics: PrometheusMetrics,
  extended: Extended<ApiAdditions> = extendedApi([], {}),
): Created {
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
  container.bind(TOKENS.polledServers).toDynamicValue(({ get }) => polledServers(get, replaced));
  container.bind(TOKENS.httpServer).toDynamicValue(({ get }) => {
    return requestPath(portsOf(get, replaced), configuration, {
      middleware: extensions.flatMap(({ additions }) => additions.middleware ?? []),
      observe: metrics.countRequest.bind(metrics),
    });
  });
  bindExtended(container, extended);
  return notingCreated(container, SERVERS);
}

type Get = <Service>(token: ServiceIdentifier<Service>) => Service;

/** Replicas only serve the tables of the primary. */
function polledServers(get: Get, replaced: Replaced): readonly [PolledServer, ...PolledServer[]] {
  const clock = get(TOKENS.monotonicClock);
  const replicas = replaced.has(TOKENS.generationTable) ? [] : get(TOKENS.replicas);
  const ofReplicas = replicas.map((replica) => new PolledServer(new ReplicaGenerations(replica), clock));
  return [new PolledServer(get(TOKENS.generationTable), clock), ...ofReplicas];
}

function portsOf(get: Get, replaced: Replaced): RequestPorts {
  return {
    clock: get(TOKENS.clock),
    monotonicClock: get(TOKENS.monotonicClock),
    log: get(TOKENS.log),
    keyHasher: get(TOKENS.keyHasher),
    keyTable: get(TOKENS.keyTable),
    keyReplicas: replaced.has(TOKENS.keyTable) ? [] : get(TOKENS.replicas),
    polledServers: get(TOKENS.polledServers),
    publishedGenerations: get(TOKENS.publishedGenerations),
    requestLog: get(TOKENS.requestLog),
    responseCache: get(TOKENS.responseCache),
    blogReader: get(TOKENS.blogReader),
    categoryReader: get(TOKENS.categoryReader),
    tagReader: get(TOKENS.tagReader),
  };
}
