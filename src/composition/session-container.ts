import { hostname } from 'node:os';
import { Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import type { MappedConnection } from '../adapters/dashboard/source/mapped-dashboard.js';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import { WorkerConnection } from '../adapters/postgres/connection/worker-connection.js';
import { installationOf } from '../adapters/postgres/inspect/installation-of.js';
import { PostgresGenerations } from '../adapters/postgres/read/postgres-generations.js';
import { PostgresJobQueue } from '../adapters/postgres/write/postgres-job-queue.js';
import { PostgresLeadership } from '../adapters/postgres/write/postgres-leadership.js';
import { PostgresReadModelWriter } from '../adapters/postgres/write/postgres-read-model-writer.js';
import { PostgresSyncNotes } from '../adapters/postgres/write/postgres-sync-notes.js';
import type { RedisBreaker } from '../adapters/redis/connection/redis-breaker.js';
import { RedisGenerations } from '../adapters/redis/generations/redis-generations.js';
import type { OutputStream } from '../adapters/system/pino-log.js';
import { bindExtended, createPorts, type Extended } from './extensions/extend.js';
import type { WorkerPorts } from './extensions/extension.js';
import { NOTHING_PUBLISHED } from './modules/memory-state.js';
import { type Created, notingCreated } from './noting-created.js';
import { openLog } from './open-log.js';
import { LASTING_PORTS, SESSION, SESSION_PORTS } from './session-tokens.js';
import type { LogConfiguration } from './settings/configuration.js';
import { needed } from './settings/read-settings.js';
import { TOKENS } from './tokens.js';

/** Longer than any step of the worker takes. */
export const LEADER_TIMEOUT_MS = 10_000;

/** The name of a worker's sessions in its databases. */
const WORKER_NAME = 'blog-read-api sync';

/** What the worker depends on. Its steps do not depend on the adapters. */
export interface SyncPorts {
  readonly leadership: WorkerPorts['leadership'];
  readonly feed: WorkerPorts['changeFeed'];
  readonly source: WorkerPorts['contentSource'];
  readonly writer: WorkerPorts['readModelWriter'];
  readonly jobs: WorkerPorts['jobQueue'];
  readonly published: WorkerPorts['publishedGenerations'];
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
  container.bind(TOKENS.log).toResolvedValue(() => openLog(configuration, logTo));
  bindExtended(container, extended, isLasting);
  createPorts(container, Object.values<ServiceIdentifier>(LASTING_PORTS));
  return container;
}

/** The parts of a session of the sync worker. `parent` has those that outlast it. */
export function sessionContainer(extended: Extended, servers: SessionServers, parent: Container): Created {
  const container = new Container({ defaultScope: 'Singleton', parent });
  container.load(sessionModule(servers));
  bindExtended(container, extended, (token) => !isLasting(token));
  const created = notingCreated(container, [SESSION.readTables, SESSION.dashboard]);
  const { installation, ...ports } = SESSION_PORTS;
  // Only published generations are named by it.
  const withRedis = servers.redis === null ? [] : [installation];
  createPorts(container, [...Object.values<ServiceIdentifier>(ports), ...withRedis]);
  return created;
}

function isLasting(token: symbol): boolean {
  return Object.values<unknown>(LASTING_PORTS).includes(token);
}

/** The read model is on one connection: leadership that is claimed on it ends with it. */
function sessionModule({ readDatabaseUrl, connect, redis }: SessionServers): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(SESSION.readTables)
      .toResolvedValue(
        () => new WorkerConnection(needed('READ_DATABASE_URL', readDatabaseUrl), WORKER_NAME, true),
      )
      .onDeactivation((connection) => connection.close());
    const bindStored = <Port>(
      token: ServiceIdentifier<Port>,
      make: (database: WorkerConnection['database']) => Port,
    ) => bind(token).toDynamicValue(({ get }) => make(get(SESSION.readTables).database));
    const holder = `${hostname()}:${process.pid}`;
    bindStored(SESSION.leadership, (database) => new PostgresLeadership(database, holder, LEADER_TIMEOUT_MS));
    bindStored(SESSION.readModelWriter, (database) => new PostgresReadModelWriter(database));
    bindStored(SESSION.jobQueue, (database) => new PostgresJobQueue(database));
    bindStored(SESSION.syncNotes, (database) => new PostgresSyncNotes(database));
    bindStored(SESSION.generationTable, (database) => new PostgresGenerations(database));
    bindStored(SESSION.installation, (database) => () => installationOf(database));

    bind(SESSION.dashboard)
      .toResolvedValue(() => needed('WRITE_DATABASE_URL', connect)(WORKER_NAME))
      .onDeactivation((connection) => connection.close());
    bind(SESSION.changeFeed).toResolvedValue(({ feed }) => feed, [SESSION.dashboard]);
    bind(SESSION.contentSource).toResolvedValue(({ source }) => source, [SESSION.dashboard]);

    bind(SESSION.publishedGenerations).toResolvedValue(() =>
      redis === null ? NOTHING_PUBLISHED : new RedisGenerations(redis),
    );
  });
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
