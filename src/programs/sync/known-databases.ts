import type { MappedConnection } from '../../adapters/dashboard/source/mapped-dashboard.js';
import {
  type DatabaseChange,
  databaseChange,
  isFormerPrimary,
  updateAfter,
} from '../../application/sync/database-change.js';
import type { UpdateReadModel } from '../../application/sync/update-read-model.js';
import type { DatabaseIdentity, SyncedDatabase, SyncNotes } from '../../domain/ports/sync/sync-notes.js';
import type { Log } from '../../domain/ports/system/log.js';

type Dashboard = Pick<MappedConnection, 'identity'>;

/** The read tables to which earlier sessions of this process wrote. */
export interface LastWritten {
  identity: DatabaseIdentity | null;
}

/** No server has this timeline, so any server counts as failed over. */
const NO_TIMELINE = 0;

/** The address leads to another dashboard than before. An operator has to decide. */
export class OtherDashboard extends Error {
  override readonly name = 'OtherDashboard';
}

/**
 * Checks, before anything is written, whether both databases are those of before. Everything is
 * read again after a failover or a restore, and after the dashboard's server has started.
 * `dashboard` is null if an extension replaces it.
 */
export async function recognizeDatabases(
  dashboard: Dashboard | null,
  notes: SyncNotes,
  epoch: number,
  update: UpdateReadModel,
  log: Log,
  lastWritten: LastWritten,
): Promise<void> {
  const identities = {
    dashboard: (await dashboard?.identity()) ?? null,
    readTables: await notes.identity(),
  };
  const formerIdentities = {
    dashboard: dashboard && (await requireKnownDashboard(dashboard, notes, identities.dashboard)),
    readTables: isFormerPrimary(identities.readTables, lastWritten.identity)
      ? lastWritten.identity
      : await notes.lastIdentity('readTables'),
  };
  const changes: Record<SyncedDatabase, DatabaseChange> = {
    dashboard:
      identities.dashboard === null
        ? 'none'
        : databaseChange(formerIdentities.dashboard, identities.dashboard),
    readTables: databaseChange(formerIdentities.readTables, identities.readTables),
  };
  const missing = updateAfter(changes);
  if (missing !== null) {
    await update.write(epoch, missing);
    const message =
      'a database failed over, or was restarted, restored or replaced; everything is read again';
    log.warn(`syncing: ${message}`, { ...changes });
  }
  if (identities.dashboard !== null) await notes.remember('dashboard', identities.dashboard);
  await notes.remember('readTables', identities.readTables);
  lastWritten.identity = identities.readTables;
}

/** Throws `OtherDashboard`. Returns null if no dashboard was ever synced. */
export async function requireKnownDashboard(
  dashboard: Dashboard,
  notes: Pick<SyncNotes, 'lastIdentity'>,
  identity: DatabaseIdentity | null = null,
): Promise<DatabaseIdentity | null> {
  const formerIdentity = await notes.lastIdentity('dashboard');
  const currentIdentity = identity ?? (await dashboard.identity());
  if (databaseChange(formerIdentity, currentIdentity) === 'other')
    throw new OtherDashboard(explain(formerIdentity, currentIdentity));
  return formerIdentity;
}

/** Accepts the dashboard at the current address. Everything is then read again from it. */
export async function acceptDashboard(dashboard: Dashboard, notes: SyncNotes): Promise<void> {
  const identity = await dashboard.identity();
  await notes.remember('dashboard', { ...identity, timeline: NO_TIMELINE });
}

function explain(formerIdentity: DatabaseIdentity | null, currentIdentity: DatabaseIdentity): string {
  const serverAndNumber = ({ systemIdentifier, databaseOid }: DatabaseIdentity) =>
    `database ${databaseOid} of server ${systemIdentifier}`;
  return (
    `WRITE_DATABASE_URL is not the database from which the read tables were filled: it is ${serverAndNumber(currentIdentity)}, ` +
    `not ${formerIdentity === null ? 'any' : serverAndNumber(formerIdentity)}. Syncing is stopped, because it would delete rows that this database does not have. ` +
    'Correct the URL; or, if the dashboard was moved, restored or upgraded on purpose, run `npm run sync -- --accept-dashboard`.'
  );
}
