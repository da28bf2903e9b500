import type { DashboardConnection } from '../../composition/dashboard-connection.js';
import {
  type DatabaseChange,
  type DatabaseIdentity,
  databaseChange,
} from '../../domain/policies/database-change.js';
import type { GenerationHistory } from '../../domain/ports/generation-history.js';
import type { Log } from '../../domain/ports/log.js';
import type { ReadModelWriter } from '../../domain/ports/read-model-writer.js';
import type { SyncedDatabase, SyncNotes } from '../../domain/ports/sync-notes.js';
import type { UpdateReadModel } from '../../domain/sync/update-read-model.js';

type Dashboard = Pick<DashboardConnection, 'identity'>;

/** What is known of the read model's store, in any of them. */
export interface ReadModelStore {
  readonly notes: SyncNotes;
  readonly writer: Pick<ReadModelWriter, 'raisedBefore'>;
  readonly history: Pick<GenerationHistory, 'now'>;
}

/** What acknowledgements may be late, and what the clocks of servers that follow one another may differ by. */
const SLACK_SECONDS = 20 * 60;

/** Which read tables this process wrote last, in its sessions before. */
export interface LastWritten {
  identity: DatabaseIdentity | null;
}

/** No server is on it: whoever is on any is taken for failed over. */
const NO_TIMELINE = 0;

/** What an operator has to decide about. */
export class OtherDashboard extends Error {
  override readonly name = 'OtherDashboard';
}

/**
 * Whether both databases are those that were synced before. A worker asks on each new connection, before it writes anything: a failover
 * ends connections. After one, rows that it wrote or read last may be gone: what was acknowledged lately is taken once more, and everything
 * is read anew, keys before all others. Null: an extension has the dashboard's content, and knows best which it is.
 */
export async function recogniseDatabases(
  dashboard: (Dashboard & Pick<DashboardConnection, 'replayAcknowledged'>) | null,
  store: ReadModelStore,
  epoch: number,
  update: UpdateReadModel,
  log: Log,
  lastWritten: LastWritten = { identity: null },
): Promise<void> {
  const { notes } = store;
  const present = {
    dashboard: (await dashboard?.identity()) ?? null,
    readTables: await notes.identity(),
  };
  const known = {
    dashboard: dashboard && (await requireKnownDashboard(dashboard, notes, present.dashboard)),
    readTables: isFormer(present.readTables, lastWritten.identity)
      ? lastWritten.identity
      : await notes.known('readTables'),
  };
  const changes: Record<SyncedDatabase, DatabaseChange> = {
    dashboard: present.dashboard === null ? 'none' : databaseChange(known.dashboard, present.dashboard),
    readTables: databaseChange(known.readTables, present.readTables),
  };
  const isAnother = (change: DatabaseChange) => change === 'failed over' || change === 'other';
  const haveReadTables = isAnother(changes.readTables);
  if (haveReadTables || isAnother(changes.dashboard)) {
    const seconds = SLACK_SECONDS + (await secondsSinceLastChange(store));
    const replayed = (await dashboard?.replayAcknowledged(seconds)) ?? 0;
    // A rebuild that was begun before goes first, and has its keys behind it: they are read anew by themselves.
    // What is cached may belong to generations that read tables lost: no answer of before is to be served under one that comes after.
    const generations = haveReadTables ? (['generations'] as const) : [];
    const scopes = ['apiKeys', ...generations, 'everything'] as const;
    await update.run(epoch, { slices: [], work: scopes.map((of) => ({ kind: 'add', scope: { of } })) });
    log.warn('syncing: a database failed over; everything is read again', { ...changes, replayed });
  }
  if (present.dashboard !== null) await notes.remember('dashboard', present.dashboard);
  await notes.remember('readTables', present.readTables);
  lastWritten.identity = present.readTables;
}

/** A former primary to which the address leads back: it knows nothing of the one in between. */
function isFormer(present: DatabaseIdentity, lastWritten: DatabaseIdentity | null): boolean {
  if (lastWritten === null) return false;
  return databaseChange(lastWritten, present) === 'other' || present.timeline < lastWritten.timeline;
}

/** By the clock of the store, how long ago anything changed in it last. */
async function secondsSinceLastChange({ writer, history }: ReadModelStore): Promise<number> {
  const [newest] = await writer.raisedBefore(null, 1);
  const microseconds = (await history.now()) - (newest?.generation ?? 0);
  return Math.max(0, Math.ceil(microseconds / 1_000_000));
}

/** Throws `OtherDashboard`; null: no dashboard was ever synced. */
export async function requireKnownDashboard(
  dashboard: Dashboard,
  notes: SyncNotes,
  present: DatabaseIdentity | null = null,
): Promise<DatabaseIdentity | null> {
  const known = await notes.known('dashboard');
  const found = present ?? (await dashboard.identity());
  if (databaseChange(known, found) === 'other') throw new OtherDashboard(explain(known, found));
  return known;
}

/** Whatever dashboard the address names now is the right one: everything is read anew from it. */
export async function acceptDashboard(dashboard: Dashboard, notes: SyncNotes): Promise<void> {
  const present = await dashboard.identity();
  await notes.remember('dashboard', { ...present, timeline: NO_TIMELINE });
}

function explain(known: DatabaseIdentity | null, found: DatabaseIdentity): string {
  const named = ({ systemIdentifier, databaseOid }: DatabaseIdentity) =>
    `database ${databaseOid} of server ${systemIdentifier}`;
  return (
    `WRITE_DATABASE_URL is not the database from which the read tables were filled: it is ${named(found)}, ` +
    `not ${known === null ? 'any' : named(known)}. Syncing is stopped, because it would delete rows that this database does not have. ` +
    'Correct the URL; or, if the dashboard was moved, restored or upgraded on purpose, run `npm run sync -- --accept-dashboard`.'
  );
}
