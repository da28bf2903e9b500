import { hostname } from 'node:os';
import { Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import type { MappedConnection } from '../adapters/dashboard/source/mapped-dashboard.js';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import { WorkerConnection } from '../adapters/postgres/connection/worker-connection.js';
import { PostgresGenerations } from '../adapters/postgres/read/postgres-generations.js';
import { PostgresJobQueue } from '../adapters/postgres/write/postgres-job-queue.js';
import { PostgresLeadership } from '../adapters/postgres/write/postgres-leadership.js';
import { PostgresReadModelWriter } from '../adapters/postgres/write/postgres-read-model-writer.js';
import { PostgresSyncNotes } from '../adapters/postgres/write/postgres-sync-notes.js';
import { type LogOptions, type OutputStream, openLog } from '../adapters/system/pino-log.js';
import { MonotonicClock } from '../adapters/system/system-clock.js';
import type { Log } from '../domain/ports/system/log.js';
import type { Metrics } from '../domain/ports/system/metrics.js';
import { ApplyChanges } from '../domain/sync/apply-changes.js';
import { BatchSize } from '../domain/sync/batch-size.js';
import { JobAttempt } from '../domain/sync/job-attempt.js';
import { JobStep } from '../domain/sync/job-step.js';
import { ReconcileReadModel } from '../domain/sync/reconcile-read-model.js';
import { RetryRows } from '../domain/sync/retry-rows.js';
import { RunNextJob } from '../domain/sync/run-next-job.js';
import { SyncWorker } from '../domain/sync/sync-worker.js';
import { UnshownRows } from '../domain/sync/unshown-rows.js';
import { UpdateReadModel } from '../domain/sync/update-read-model.js';
import { createPorts } from './extensions/create-ports.js';
import { bindExtended, type Extended } from './extensions/extend.js';
import { needed } from './settings/read-settings.js';
import { LASTING_PORTS, type LastingPorts, type NeededBySession, SESSION, SESSION_PORTS } from './tokens.js';

/** Longer than any step of the worker takes. */
export const LEADER_TIMEOUT_MS = 10_000;

/** The name of a worker's sessions in its databases. */
const WORKER_NAME = 'blog-read-api sync';

export interface SessionServers {
  readonly readDatabaseUrl: string | null;
  readonly connect: ((name: string) => MappedConnection) | null;
}

export type WorkerParts = ReturnType<typeof workerParts>;

/** What the sync worker has for as long as it runs. */
export function workerParts(
  options: LogOptions,
  prometheus: PrometheusMetrics,
  logTo: OutputStream,
  { bindings }: Extended,
) {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(LASTING_PORTS.metrics).toConstantValue(prometheus);
  container.bind(LASTING_PORTS.log).toResolvedValue(() => openLog(options, logTo));
  const isLasting = ({ token }: { readonly token: symbol }) =>
    Object.values<unknown>(LASTING_PORTS).includes(token);
  bindExtended(container, bindings.filter(isLasting));
  const ofSession = bindings.filter((binding) => !isLasting(binding));
  return {
    ...createPorts<LastingPorts>(container, LASTING_PORTS),
    openSession: (servers: SessionServers) => sessionParts(servers, ofSession, container),
  };
}

/** Of a session; null: extensions replace all that uses it. `parent` has what outlasts it. */
function sessionParts(servers: SessionServers, bindings: Extended['bindings'], parent: Container) {
  const container = new Container({ defaultScope: 'Singleton', parent });
  container.load(sessionModule(servers));
  bindExtended(container, bindings);
  const { readTables, dashboard } = SESSION;
  const { ports, find, close } = createPorts<NeededBySession>(container, SESSION_PORTS, [
    readTables,
    dashboard,
  ]);
  return { ports, readTables: find(readTables), dashboard: find(dashboard), close };
}

type Database = WorkerConnection['database'];

/** The read model is on one connection: leadership that is claimed on it ends with it. */
function sessionModule({ readDatabaseUrl, connect }: SessionServers): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(SESSION.readTables)
      .toResolvedValue(
        () => new WorkerConnection(needed('READ_DATABASE_URL', readDatabaseUrl), WORKER_NAME, true),
      )
      .onDeactivation((connection) => connection.close());
    const bindTo = <Port>(token: ServiceIdentifier<Port>, create: (database: Database) => Port) =>
      bind(token).toResolvedValue(({ database }) => create(database), [SESSION.readTables]);
    const holder = `${hostname()}:${process.pid}`;
    bindTo(SESSION.leadership, (database) => new PostgresLeadership(database, holder, LEADER_TIMEOUT_MS));
    bindTo(SESSION.readModelWriter, (database) => new PostgresReadModelWriter(database));
    bindTo(SESSION.jobQueue, (database) => new PostgresJobQueue(database));
    bindTo(SESSION.syncNotes, (database) => new PostgresSyncNotes(database));
    bindTo(SESSION.generationTable, (database) => new PostgresGenerations(database));

    bind(SESSION.dashboard)
      .toResolvedValue(() => needed('WRITE_DATABASE_URL', connect)(WORKER_NAME))
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
  /** Outlasts the session of a worker. */
  size = new BatchSize(),
): SyncWorker {
  const clock = new MonotonicClock();
  const update = new UpdateReadModel(readModelWriter, metrics, log);
  const unshown = new UnshownRows(contentSource, readModelWriter, update, isOutage, clock);
  const jobStep = new JobStep(readModelWriter, update, unshown);
  const attempt = new JobAttempt(jobStep, update, unshown, metrics, log, clock, size);
  return new SyncWorker(
    new ApplyChanges(changeFeed, update, unshown, metrics, log, clock, size),
    new RunNextJob(jobQueue, contentSource, attempt),
    new RetryRows(readModelWriter, contentSource, update, unshown, clock, size),
    new ReconcileReadModel(jobQueue, changeFeed, contentSource, attempt, update),
    update,
    clock,
  );
}
