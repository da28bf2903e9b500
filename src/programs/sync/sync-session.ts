import type { MappedDashboard } from '../../adapters/dashboard/source/mapped-dashboard.js';
import { faultOf, naming } from '../../adapters/sql/postgres/fault-of.js';
import { sharesSessions } from '../../adapters/sql/postgres/open-database.js';
import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import { BatchSize } from '../../application/sync/batch-size.js';
import type { FailingKinds } from '../../application/sync/failed-piece.js';
import { UpdateReadModel } from '../../application/sync/update-read-model.js';
import type { Extended } from '../../composition/extensions/extend.js';
import type { WorkerAdditions } from '../../composition/extensions/extension.js';
import { SESSION, type Token } from '../../composition/tokens.js';
import { syncWorker, type WorkerParts } from '../../composition/worker-parts.js';
import type { CaptureChange } from '../../domain/model/capture.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { Metrics } from '../../domain/ports/system/metrics.js';
import { migratedByNewer, NO_QUESTION, ownSessions, requireReadTables } from '../admin/checks.js';
import { type LastWritten, recognizeDatabases, requireKnownDashboard } from './known-databases.js';

/** For what extensions have bound. The connections of the project itself close faster. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Null: not set, which only matters if something there is needed. */
export interface SyncDatabases {
  readonly engine: MappedDashboard | null;
  readonly readDatabaseUrl: string | null;
}

/** What the sessions of a worker share. */
export function sharedBySessions() {
  const failing: FailingKinds = new Map();
  const lastWritten: LastWritten = { identity: null };
  return { size: new BatchSize(), failing, lastWritten };
}

export type SyncSession = ReturnType<typeof openSyncSession>;

/** Discarded after any failure, because leadership ends with its connection. */
export function openSyncSession(
  { engine, readDatabaseUrl }: SyncDatabases,
  metrics: Metrics,
  log: Log,
  { replaced, extensions }: Extended<WorkerAdditions>,
  openSession: WorkerParts['openSession'],
  { size, failing, lastWritten }: ReturnType<typeof sharedBySessions>,
) {
  const connect = engine && ((name: string) => engine.connect(name, true));
  const { ports, readTables, dashboard, close } = openSession({ readDatabaseUrl, connect });
  const { syncNotes: notes, generationTable } = ports;
  const outages = extensions.flatMap(({ additions }) => additions.isOutage ?? []);
  const isIntact = () => readTables?.isIntact !== false && dashboard?.isIntact !== false;
  const isOutageHere = (error: unknown) =>
    faultOf(error) === 'outage' ||
    dashboard?.isOutage(error) ||
    outages.some((isTheirs) => isTheirs(error)) ||
    !isIntact();
  let isNewer = false;
  return {
    ports,
    worker: syncWorker(ports, metrics, log, isOutageHere, size, failing),
    /** Null: extensions replace all that is in it. */
    dashboard,
    /** The database with the state of this port. Null: an extension stores the state. */
    tablesOf: (port: Token) => (replaced.has(port) ? null : (readTables?.database ?? null)),
    hasReadTables: readTables !== null,
    /** Whether an extension replaces this port. */
    replaces: (port: Token) => replaced.has(port),
    /** Requests a rebuild if the change capture may have been incomplete. */
    async checkCapture(epoch: number): Promise<void> {
      if (dashboard === null) return;
      const state = await dashboard.captureState();
      const { message, advice } = migratedByNewer();
      if (state.isNewer && !isNewer) log.warn(`change capture: ${message}: ${advice}`);
      isNewer = state.isNewer;
      if (isNewer) return;
      reportCapture(await notes.noteCapture(epoch, state), state.broken, log);
    },
    /** Fails with a readable message if a migration is missing, or a pooler shares sessions. */
    async requireTables(): Promise<void> {
      await dashboard?.requireCapture();
      const storedBy = replaced.get(SESSION.generationTable);
      const read = async () => generationTable.read(NO_QUESTION);
      await (storedBy === undefined ? requireReadTables(read) : naming(`extension ${storedBy}`, read));
      if (readTables !== null)
        requireOwnSessions('READ_DATABASE_URL', await sharesSessions(readTables.database));
      if (dashboard !== null) requireOwnSessions('WRITE_DATABASE_URL', await dashboard.sharesSessions());
    },
    /** Throws `OtherDashboard`. */
    async requireKnownDashboard(): Promise<void> {
      if (dashboard !== null) await requireKnownDashboard(dashboard, notes);
    },
    /** Before the first step of an epoch, and repeatedly: a restore ends no connection. */
    recognize(epoch: number): Promise<void> {
      const update = new UpdateReadModel(ports.readModelWriter, metrics, log);
      return recognizeDatabases(dashboard, notes, epoch, update, log, lastWritten);
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

function reportCapture(change: CaptureChange, broken: readonly string[], log: Log): void {
  const missed = 'change capture is broken: changes are missed, or cannot be read: run `npm run migrate`';
  if (change.kind === 'broken') log.error(missed, { broken });
  if (change.kind !== 'repaired') return;
  const { changed } = change;
  log.warn('change capture was changed or repaired: everything is read again', { changed });
}
