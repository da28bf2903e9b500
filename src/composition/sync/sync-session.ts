import { hostname } from 'node:os';
import { MemoryGenerationBoard } from '../../adapters/memory/memory-generation-board.js';
import { installationOf } from '../../adapters/postgres/installation-of.js';
import { isOutage } from '../../adapters/postgres/is-outage.js';
import { PostgresGenerations } from '../../adapters/postgres/postgres-generations.js';
import { PostgresLeadership } from '../../adapters/postgres/postgres-leadership.js';
import { PostgresReadModelWriter } from '../../adapters/postgres/postgres-read-model-writer.js';
import { PostgresSyncNotes } from '../../adapters/postgres/postgres-sync-notes.js';
import { PostgresWorkList } from '../../adapters/postgres/postgres-work-list.js';
import { WorkerConnection } from '../../adapters/postgres/worker-connection.js';
import { RedisGenerations } from '../../adapters/redis/redis-generations.js';
import type { RedisGuard } from '../../adapters/redis/redis-guard.js';
import { MonotonicClock } from '../../adapters/system/monotonic-clock.js';
import type { ChangeFeed } from '../../domain/ports/change-feed.js';
import type { ContentSource } from '../../domain/ports/content-source.js';
import type { GenerationBoard } from '../../domain/ports/generation-board.js';
import type { Generations } from '../../domain/ports/generations.js';
import type { Leadership } from '../../domain/ports/leadership.js';
import type { Log } from '../../domain/ports/log.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import type { ReadModelWriter } from '../../domain/ports/read-model-writer.js';
import type { SyncNotes } from '../../domain/ports/sync-notes.js';
import type { WorkList } from '../../domain/ports/work-list.js';
import { ApplyChanges } from '../../domain/sync/apply-changes.js';
import { CheckReadModel } from '../../domain/sync/check-read-model.js';
import { Pace } from '../../domain/sync/pace.js';
import { StepSize } from '../../domain/sync/step-size.js';
import { SyncWorker } from '../../domain/sync/sync-worker.js';
import { UpdateReadModel } from '../../domain/sync/update-read-model.js';
import { WorkAttempt } from '../../domain/sync/work-attempt.js';
import { WorkOff } from '../../domain/sync/work-off.js';
import { WorkPiece } from '../../domain/sync/work-piece.js';
import type { DashboardConnection, DashboardEngine } from '../dashboards/dashboard-engine.js';
import { requireReadTables } from '../jobs/require-tables.js';
import { CaptureWatch } from './capture-watch.js';
import { type LastWritten, recogniseDatabases, requireKnownDashboard } from './known-databases.js';

/** No step takes as long. */
export const FROZEN_AFTER_MS = 10_000;

/** What the worker stands on: swap one, and the steps stay the same. */
export interface SyncPorts {
  readonly leadership: Leadership;
  readonly feed: ChangeFeed;
  readonly source: ContentSource;
  readonly writer: ReadModelWriter;
  readonly list: WorkList;
  readonly board: GenerationBoard & Generations;
}

/** A worker on its connections. It is thrown away after any failure: a lead ends with the connection that claimed it. */
export interface SyncSession {
  readonly ports: SyncPorts;
  readonly worker: SyncWorker;
  readonly dashboard: DashboardConnection;
  readonly readTables: WorkerConnection;
  readonly notes: SyncNotes;
  readonly capture: CaptureWatch;
  /** Fails with words for people where a migration is missing. */
  requireTables(): Promise<void>;
  /** Throws `OtherDashboard`. */
  requireKnownDashboard(): Promise<void>;
  /** Before the first step of a lead. */
  recognise(epoch: number): Promise<void>;
  close(): Promise<void>;
}

export function openSyncSession(
  databases: { readonly engine: DashboardEngine; readonly readDatabaseUrl: string },
  redis: RedisGuard | null,
  metrics: Metrics,
  log: Log,
  lastWritten?: LastWritten,
  size?: StepSize,
): SyncSession {
  const dashboard = databases.engine.connect('blog-read-api sync', true);
  const readTables = new WorkerConnection(databases.readDatabaseUrl, 'blog-read-api sync', true);
  const generations = new PostgresGenerations(readTables.database);
  const notes = new PostgresSyncNotes(readTables.database);
  const ports: SyncPorts = {
    leadership: new PostgresLeadership(readTables.database, `${hostname()}:${process.pid}`, FROZEN_AFTER_MS),
    feed: dashboard.feed,
    source: dashboard.source,
    writer: new PostgresReadModelWriter(readTables.database),
    list: new PostgresWorkList(readTables.database),
    board: redis === null ? new MemoryGenerationBoard(generations) : new RedisGenerations(redis, generations),
  };
  return {
    ports,
    worker: syncWorker(
      ports,
      metrics,
      log,
      (error) => isOutage(error) || dashboard.isOutage(error) || !dashboard.isIntact || !readTables.isIntact,
      size,
    ),
    dashboard,
    readTables,
    notes,
    capture: new CaptureWatch(dashboard, notes, log),
    requireTables: async () => {
      await dashboard.requireTables();
      await requireReadTables(generations);
      if (redis !== null) redis.nameAfter(await installationOf(readTables.database));
      await dashboard.requireCapture();
    },
    requireKnownDashboard: async () => void (await requireKnownDashboard(dashboard, notes)),
    recognise: (epoch) => {
      const update = new UpdateReadModel(ports.writer, ports.board, metrics, log);
      const store = { notes, writer: ports.writer, history: generations };
      return recogniseDatabases(dashboard, store, epoch, update, log, lastWritten);
    },
    close: async () => void (await Promise.all([dashboard.close(), readTables.close()])),
  };
}

export function syncWorker(
  { feed, source, writer, list, board }: SyncPorts,
  metrics: Metrics,
  log: Log,
  isOutage: (error: unknown) => boolean,
  size = new StepSize(),
): SyncWorker {
  const pace = new Pace(new MonotonicClock());
  const update = new UpdateReadModel(writer, board, metrics, log);
  const piece = new WorkPiece(writer, update, board);
  const attempt = new WorkAttempt(list, piece, update, metrics, log, isOutage);
  return new SyncWorker(
    new ApplyChanges(feed, source, list, update, metrics, log, isOutage, size),
    new WorkOff(list, source, attempt, pace, size),
    new CheckReadModel(list, feed, attempt, pace, size),
    update,
    pace,
    size,
  );
}
