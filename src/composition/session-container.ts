import { Container, type ServiceIdentifier } from 'inversify';
import type { MappedConnection } from '../adapters/dashboard/source/mapped-dashboard.js';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import type { RedisBreaker } from '../adapters/redis/connection/redis-breaker.js';
import type { OutputStream } from '../adapters/system/pino-log.js';
import type { ChangeFeed } from '../domain/ports/change-feed.js';
import type { ContentSource } from '../domain/ports/content-source.js';
import type { JobQueue } from '../domain/ports/job-queue.js';
import type { Leadership } from '../domain/ports/leadership.js';
import type { PublishedGenerations } from '../domain/ports/published-generations.js';
import type { ReadModelWriter } from '../domain/ports/read-model-writer.js';
import { bindExtended, createPorts, type Extended, isLasting } from './extensions/extend.js';
import { DASHBOARD_PORTS, LASTING_PORTS, STORED_PORTS } from './extensions/ports.js';
import { dashboardContent, postgresReadModel, publishedGenerations } from './modules/session-modules.js';
import { type Created, notingCreated } from './noting-created.js';
import { openLog } from './open-log.js';
import { SESSION } from './session-tokens.js';
import type { LogConfiguration } from './settings/configuration.js';
import { TOKENS } from './tokens.js';

/** What the worker depends on. Its steps do not depend on the adapters. */
export interface SyncPorts {
  readonly leadership: Leadership;
  readonly feed: ChangeFeed;
  readonly source: ContentSource;
  readonly writer: ReadModelWriter;
  readonly jobs: JobQueue;
  readonly published: PublishedGenerations;
}

export interface SessionServers {
  readonly readDatabaseUrl: string | null;
  readonly connect: ((name: string) => MappedConnection) | null;
  readonly redis: RedisBreaker | null;
}

/** What the sync worker has for as long as it runs. */
export function workerContainer(
  configuration: LogConfiguration,
  prometheus: PrometheusMetrics,
  logTo: OutputStream,
  extended: Extended,
): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(TOKENS.metrics).toConstantValue(prometheus);
  container
    .bind(TOKENS.log)
    .toResolvedValue((events) => openLog(configuration, events, logTo), [TOKENS.metrics]);
  bindExtended(container, extended, isLasting);
  createPorts(container, Object.values<ServiceIdentifier>(LASTING_PORTS), extended.replaced);
  return container;
}

/** The parts of a session of the sync worker. `parent` has those that outlast it. */
export function sessionContainer(
  extended: Extended,
  { readDatabaseUrl, connect, redis }: SessionServers,
  parent: Container,
): Created {
  const container = new Container({ defaultScope: 'Singleton', parent });
  container.load(postgresReadModel(readDatabaseUrl), dashboardContent(connect), publishedGenerations(redis));
  bindExtended(container, extended, (token) => !isLasting(token));
  const created = notingCreated(container, [SESSION.readTables, SESSION.dashboard]);
  const ports: ServiceIdentifier[] = [
    ...Object.values<ServiceIdentifier>(STORED_PORTS),
    ...Object.values<ServiceIdentifier>(DASHBOARD_PORTS),
    SESSION.publishedGenerations,
    ...(redis === null ? [] : [SESSION.installation]),
  ];
  createPorts(container, ports, extended.replaced);
  return created;
}

export function syncPorts(container: Container): SyncPorts {
  return {
    leadership: container.get(SESSION.leadership),
    feed: container.get(SESSION.changeFeed),
    source: container.get(SESSION.contentSource),
    writer: container.get(SESSION.readModelWriter),
    jobs: container.get(SESSION.jobQueue),
    published: container.get(SESSION.publishedGenerations),
  };
}
