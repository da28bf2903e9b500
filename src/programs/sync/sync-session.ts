import type { MappedConnection, MappedDashboard } from '../../adapters/dashboard/source/mapped-dashboard.js';
import { isOutage, naming } from '../../adapters/sql/postgres/fault-of.js';
import { sharesSessions } from '../../adapters/sql/postgres/open-database.js';
import type { WorkerConnection } from '../../adapters/sql/worker-connection.js';
import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import { BatchSize } from '../../application/sync/batch-size.js';
import type { FailingKinds } from '../../application/sync/failed-piece.js';
import type { SyncWorker } from '../../application/sync/sync-worker.js';
import { UpdateReadModel } from '../../application/sync/update-read-model.js';
import type { Extended } from '../../composition/extensions/extend.js';
import type { WorkerAdditions } from '../../composition/extensions/extension.js';
import { type NeededBySession, SESSION, type Token } from '../../composition/tokens.js';
import { syncWorker, type WorkerParts } from '../../composition/worker-parts.js';
import type { CaptureChange } from '../../domain/model/capture.js';
import type { SyncNotes } from '../../domain/ports/sync/sync-notes.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { Metrics } from '../../domain/ports/system/metrics.js';
import { migratedByNewer, NO_QUESTION, requireReadTables } from '../admin/checks.js';
import { type LastWritten, recognizeDatabases, requireKnownDashboard } from './known-databases.js';
import { ownSessions } from './worker-checks.js';

/** For what extensions have bound. The connections of the project itself close faster. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Null: not set, which only matters if something there is needed. */
export interface SyncDatabases {
  readonly engine: MappedDashboard | null;
  readonly readDatabaseUrl: string | null;
}

/** Discarded after any failure, because leadership ends with its connection. */
export interface SyncSession {
  readonly ports: NeededBySession;
  readonly worker: SyncWorker;
  /** Whether an extension replaces this port. */
  replaces(port: Token): boolean;
  readonly hasDashboard: boolean;
  readonly hasReadTables: boolean;
  /** Throws a readable error if extensions have replaced what is in it. */
  readonly dashboard: MappedConnection;
  /** The same. */
  readonly readTables: WorkerConnection;
  readonly notes: SyncNotes;
  /** Requests a rebuild if the change capture may have been incomplete. */
  checkCapture(epoch: number): Promise<void>;
  /** Fails with a readable message if a migration is missing, or a pooler shares sessions. */
  requireTables(): Promise<void>;
  /** Throws `OtherDashboard`. */
  requireKnownDashboard(): Promise<void>;
  /** Before the first step of an epoch, and repeatedly: a restore ends no connection. */
  recognize(epoch: number): Promise<void>;
  close(): Promise<void>;
}

/** What the sessions of a worker share. */
export function sharedBySessions(): {
  readonly size: BatchSize;
  readonly failing: FailingKinds;
  readonly lastWritten: LastWritten;
} {
  return { size: new BatchSize(), failing: new Map(), lastWritten: { identity: null } };
}

export function openSyncSession(
  databases: SyncDatabases,
  metrics: Metrics,
  log: Log,
  extended: Extended<WorkerAdditions>,
  openSession: WorkerParts['openSession'],
  shared = sharedBySessions(),
): SyncSession {
  const { engine, readDatabaseUrl } = databases;
  const connect = engine && ((name: string) => engine.connect(name, true));
  const { ports, readTables, dashboard, close } = openSession({ readDatabaseUrl, connect });
  const { replaced } = extended;
  const { syncNotes: notes, generationTable } = ports;
  const outages = extended.extensions.flatMap(({ additions }) => additions.isOutage ?? []);
  let isNewer = false;
  const isIntact = () => readTables?.isIntact !== false && dashboard?.isIntact !== false;
  return {
    ports,
    replaces: (port) => replaced.has(port),
    hasDashboard: dashboard !== null,
    hasReadTables: readTables !== null,
    worker: syncWorker(
      ports,
      metrics,
      log,
      (error) =>
        isOutage(error) ||
        dashboard?.isOutage(error) ||
        outages.some((isTheirs) => isTheirs(error)) ||
        !isIntact(),
      shared.size,
      shared.failing,
    ),
    get dashboard() {
      return dashboard ?? absent('ChangeFeed and ContentSource');
    },
    get readTables() {
      return readTables ?? absent('everything in the read tables');
    },
    notes,
    checkCapture: async (epoch) => {
      if (dashboard === null) return;
      const state = await dashboard.captureState();
      const { message, advice } = migratedByNewer();
      if (state.isNewer && !isNewer) log.warn(`change capture: ${message}: ${advice}`);
      isNewer = state.isNewer;
      if (isNewer) return;
      reportCapture(await notes.noteCapture(epoch, state), state.broken, log);
    },
    requireTables: async () => {
      await dashboard?.requireCapture();
      const storedBy = replaced.get(SESSION.generationTable);
      const read = async () => generationTable.read(NO_QUESTION);
      await (storedBy === undefined ? requireReadTables(read) : naming(`extension ${storedBy}`, read));
      if (readTables !== null)
        requireOwnSessions('READ_DATABASE_URL', await sharesSessions(readTables.database));
      if (dashboard !== null) requireOwnSessions('WRITE_DATABASE_URL', await dashboard.sharesSessions());
    },
    requireKnownDashboard: async () => {
      if (dashboard !== null) await requireKnownDashboard(dashboard, notes);
    },
    recognize: (epoch) => {
      const update = new UpdateReadModel(ports.readModelWriter, metrics, log);
      return recognizeDatabases(dashboard, notes, epoch, update, log, shared.lastWritten);
    },
    close: () =>
      withTimeLimit(CLOSE_TIMEOUT_MS, close()).catch((error: unknown) =>
        log.warn('syncing: a connection could not be closed', { error }),
      ),
  };
}

function requireOwnSessions(variable: string, areShared: boolean): void {
  const { outcome, message, advice } = ownSessions(variable, areShared);
  if (outcome !== 'ok') throw new Error(`${variable}: ${message}: ${advice}`);
}

function absent(what: string): never {
  throw new Error(`Not available, because an extension replaces ${what}: query its store instead.`);
}

function reportCapture(change: CaptureChange, broken: readonly string[], log: Log): void {
  const missed = 'change capture is broken: changes are missed, or cannot be read: run `npm run migrate`';
  if (change.kind === 'broken') log.error(missed, { broken });
  if (change.kind !== 'repaired') return;
  const { changed } = change;
  log.warn('change capture was changed or repaired: everything is read again', { changed });
}
