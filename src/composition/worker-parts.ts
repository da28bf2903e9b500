import { hostname } from 'node:os';
import { Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import type { MappedConnection } from '../adapters/dashboard/source/mapped-dashboard.js';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import { PostgresGenerations } from '../adapters/postgres/read/postgres-generations.js';
import { PostgresJobQueue } from '../adapters/postgres/write/postgres-job-queue.js';
import { PostgresLeadership } from '../adapters/postgres/write/postgres-leadership.js';
import { PostgresReadModelWriter } from '../adapters/postgres/write/postgres-read-model-writer.js';
import { PostgresSyncNotes } from '../adapters/postgres/write/postgres-sync-notes.js';
import { PostgresWebhookDeliveries } from '../adapters/postgres/write/postgres-webhook-deliveries.js';
import { connectWorker } from '../adapters/sql/postgres/connect-worker.js';
import type { WorkerConnection } from '../adapters/sql/worker-connection.js';
import { type LogOptions, type OutputStream, openLog } from '../adapters/system/pino-log.js';
import { MonotonicClock, SystemClock } from '../adapters/system/system-clock.js';
import { HttpWebhookSender } from '../adapters/webhooks/http-webhook-sender.js';
import { ApplyChanges } from '../application/sync/apply-changes.js';
import type { BatchSize } from '../application/sync/batch-size.js';
import { FailedPieces, type FailingKinds } from '../application/sync/failed-piece.js';
import { JobStep } from '../application/sync/job-step.js';
import { JobTurns } from '../application/sync/job-turns.js';
import { RetryRows } from '../application/sync/retry-rows.js';
import { SyncWorker } from '../application/sync/sync-worker.js';
import { TellEndpoints } from '../application/sync/tell-endpoints.js';
import { UpdateReadModel } from '../application/sync/update-read-model.js';
import type { WebhookEndpoint } from '../domain/model/webhook.js';
import type { Log } from '../domain/ports/system/log.js';
import type { Metrics } from '../domain/ports/system/metrics.js';
import { createPorts } from './extensions/create-ports.js';
import { bindExtended, type Extended } from './extensions/extend.js';
import { needed } from './settings/read-settings.js';
import { SETTINGS } from './settings/settings.js';
import { LASTING_PORTS, type NeededBySession, SESSION, SESSION_PORTS } from './tokens.js';

/** Longer than any step of the worker takes. */
export const LEADER_TIMEOUT_MS = 10_000;

/** The names of a worker's sessions in its databases. */
const WORKER_NAME = 'blog-read-api sync';
const WEBHOOKS_NAME = 'blog-read-api webhooks';

export interface SessionServers {
  readonly readDatabaseUrl: string | null;
  readonly connect: ((name: string) => MappedConnection) | null;
}

export type WorkerParts = ReturnType<typeof workerParts>;

/** What the sync worker has for as long as it runs, and what opens a session. */
export function workerParts(
  options: LogOptions,
  prometheus: PrometheusMetrics,
  logTo: OutputStream,
  { bindings, wrongSettings }: Extended,
) {
  const parent = new Container({ defaultScope: 'Singleton' });
  parent.bind(LASTING_PORTS.metrics).toConstantValue(prometheus);
  parent.bind(LASTING_PORTS.log).toResolvedValue(() => openLog(options, logTo));
  const isLasting = ({ token }: { readonly token: symbol }) =>
    Object.values<unknown>(LASTING_PORTS).includes(token);
  bindExtended(parent, bindings.filter(isLasting));
  const ofSession = bindings.filter((binding) => !isLasting(binding));

  const openSession = (servers: SessionServers) => {
    const container = new Container({ defaultScope: 'Singleton', parent });
    container.load(sessionModule(servers));
    bindExtended(container, ofSession);
    const connections = [SESSION.readTables, SESSION.dashboard];
    const { ports, find, close } = createPorts(container, SESSION_PORTS, connections, wrongSettings);
    // Null: extensions replace all that uses it.
    return { ports, readTables: find(SESSION.readTables), dashboard: find(SESSION.dashboard), close };
  };
  return { ...createPorts(parent, LASTING_PORTS), openSession };
}

/** The read model is on one connection: leadership that is claimed on it ends with it. */
function sessionModule({ readDatabaseUrl, connect }: SessionServers): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(SESSION.readTables)
      .toResolvedValue(() =>
        connectWorker(needed(SETTINGS.readDatabaseUrl, readDatabaseUrl), WORKER_NAME, true),
      )
      .onDeactivation((connection) => connection.close());
    const bindTo = <Port>(token: ServiceIdentifier<Port>, create: (tables: WorkerConnection) => Port) =>
      bind(token).toResolvedValue(create, [SESSION.readTables]);
    const holder = `${hostname()}:${process.pid}`;
    bindTo(SESSION.leadership, ({ database }) => new PostgresLeadership(database, holder, LEADER_TIMEOUT_MS));
    bindTo(SESSION.readModelWriter, ({ database }) => new PostgresReadModelWriter(database));
    bindTo(SESSION.jobQueue, ({ database }) => new PostgresJobQueue(database));
    bindTo(SESSION.syncNotes, ({ database }) => new PostgresSyncNotes(database));
    bindTo(SESSION.generationTable, ({ database }) => new PostgresGenerations(database));

    bind(SESSION.dashboard)
      .toResolvedValue(() => needed(SETTINGS.writeDatabaseUrl, connect)(WORKER_NAME))
      .onDeactivation((connection) => connection.close());
    bind(SESSION.changeFeed).toResolvedValue(({ feed }) => feed, [SESSION.dashboard]);
    bind(SESSION.contentSource).toResolvedValue(({ source }) => source, [SESSION.dashboard]);
  });
}

/** The steps of a session, which do not depend on the adapters. */
export function syncWorker(
  { changeFeed, contentSource, readModelWriter, jobQueue }: NeededBySession,
  metrics: Metrics,
  log: Log,
  isOutage: (error: unknown) => boolean,
  /** Outlast the session of a worker. */
  size: BatchSize,
  failing: FailingKinds,
): SyncWorker {
  const clock = new MonotonicClock();
  const update = new UpdateReadModel(readModelWriter, metrics, log);
  const failed = new FailedPieces(contentSource, readModelWriter, update, isOutage, failing, metrics, log);
  const jobStep = new JobStep(readModelWriter, update);
  return new SyncWorker(
    new ApplyChanges(changeFeed, update, failed, clock, size),
    new JobTurns(jobQueue, changeFeed, contentSource, jobStep, update, failed, clock, size),
    new RetryRows(readModelWriter, contentSource, update, failed, clock, size),
    update,
    clock,
  );
}

export type WebhookSession = ReturnType<typeof openWebhookSession>;

/**
 * Discarded after any failure. On a connection beside the session of the sync, which never waits
 * for it.
 */
export function openWebhookSession(
  endpoints: readonly WebhookEndpoint[],
  readDatabaseUrl: string,
  metrics: Metrics,
  log: Log,
) {
  const connection = connectWorker(readDatabaseUrl, WEBHOOKS_NAME, true);
  const clock = new SystemClock();
  const deliveries = new PostgresWebhookDeliveries(connection.database);
  const sender = new HttpWebhookSender(clock);
  return {
    hasEndpoints: endpoints.length > 0,
    steps: new TellEndpoints(endpoints, deliveries, sender, clock, metrics, log),
    close: () => connection.close(),
  };
}
