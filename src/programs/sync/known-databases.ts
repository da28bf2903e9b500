import type { DashboardConnection } from '../../adapters/dashboard/dashboard-engine.js';
import {
  type DatabaseChange,
  type DatabaseIdentity,
  databaseChange,
} from '../../domain/policies/database-change.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { GenerationHistory } from '../../domain/ports/generation-history.js';
import type { Log } from '../../domain/ports/log.js';
import type { SyncedDatabase, SyncNotes } from '../../domain/ports/sync-notes.js';
import type { UpdateReadModel } from '../../domain/sync/update-read-model.js';

type Dashboard = Pick<DashboardConnection, 'identity'>;

/** The notes and generations of the read model, in any store. */
export interface ReadModelStore {
  readonly notes: SyncNotes;
  readonly history: Pick<GenerationHistory, 'newest'>;
}

/** Allows for late acknowledgements, and for clock differences between consecutive servers. */
const SLACK_SECONDS = 20 * 60;

/** The read tables to which earlier sessions of this process wrote. */
export interface LastWritten {
  identity: DatabaseIdentity | null;
}

/** No server has this timeline, so any server counts as failed over. */
const NO_TIMELINE = 0;

/** The address leads to another dashboard than before. An operator has to decide whether it is right. */
export class OtherDashboard extends Error {
  override readonly name = 'OtherDashboard';
}

/**
 * Checks whether both databases are those that were synced before. Runs after each claim of leadership, before anything is written, because
 * a failover ends connections. After a failover, rows that were written or read recently may be lost: recently acknowledged changes are
 * queued again, and everything is read again, API keys first. `dashboard` is null if an extension replaces the dashboard's content.
 */
export async function recognizeDatabases(
  dashboard: (Dashboard & Pick<DashboardConnection, 'replayAcknowledged'>) | null,
  store: ReadModelStore,
  epoch: number,
  update: UpdateReadModel,
  log: Log,
  clock: Clock,
  lastWritten: LastWritten,
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
  const didReadTablesChange = isAnother(changes.readTables);
  if (didReadTablesChange || isAnother(changes.dashboard)) {
    const seconds = SLACK_SECONDS + (await secondsSinceLastChange(store, clock));
    const replayed = (await dashboard?.replayAcknowledged(seconds)) ?? 0;
    // A rebuild in progress comes first and has already read its API keys, so they are read again separately. The cache may have answers of
    // generations that the read tables lost. They must not be served under a later generation.
    const generations = didReadTablesChange ? (['generations'] as const) : [];
    const scopes = ['apiKeys', ...generations, 'everything'] as const;
    await update.run(epoch, { slices: [], work: scopes.map((of) => ({ kind: 'add', scope: { of } })) });
    log.warn('syncing: a database failed over or was replaced; everything is read again', {
      ...changes,
      replayed,
    });
  }
  if (present.dashboard !== null) await notes.remember('dashboard', present.dashboard);
  await notes.remember('readTables', present.readTables);
  lastWritten.identity = present.readTables;
}

/** A former primary to which the address points again. It lacks the notes of the one in between. */
function isFormer(present: DatabaseIdentity, lastWritten: DatabaseIdentity | null): boolean {
  if (lastWritten === null) return false;
  return databaseChange(lastWritten, present) === 'other' || present.timeline < lastWritten.timeline;
}

/** Generations count microseconds. */
async function secondsSinceLastChange({ history }: ReadModelStore, clock: Clock): Promise<number> {
  return Math.max(0, Math.ceil(clock.now() / 1_000 - (await history.newest()) / 1_000_000));
}

/** Throws `OtherDashboard`. Returns null if no dashboard was ever synced. */
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

/** Accepts the dashboard at the current address. Everything is then read again from it. */
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
