import {
  knownIdentity,
  presentIdentity,
  rememberIdentity,
  secondsSinceLastChange,
} from '../../adapters/postgres/database-identity.js';
import type { WorkerConnection } from '../../adapters/postgres/worker-connection.js';
import { type DatabaseIdentity, databaseChange } from '../../domain/policies/database-change.js';
import type { Log } from '../../domain/ports/log.js';
import type { UpdateReadModel } from '../../domain/sync/update-read-model.js';
import type { DashboardConnection } from '../dashboards/dashboard-engine.js';

type Database = WorkerConnection['database'];
type Dashboard = Pick<DashboardConnection, 'identity'>;

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
 * is read anew, keys before all others.
 */
export async function recogniseDatabases(
  dashboard: Dashboard & Pick<DashboardConnection, 'replayAcknowledged'>,
  readTables: Database,
  epoch: number,
  update: UpdateReadModel,
  log: Log,
  lastWritten: LastWritten = { identity: null },
): Promise<void> {
  const present = {
    dashboard: await dashboard.identity(),
    readTables: await presentIdentity(readTables),
  };
  const known = {
    dashboard: await requireKnownDashboard(dashboard, readTables, present.dashboard),
    readTables: isFormer(present.readTables, lastWritten.identity)
      ? lastWritten.identity
      : await knownIdentity(readTables, 'readTables'),
  };
  const changes = {
    dashboard: databaseChange(known.dashboard, present.dashboard),
    readTables: databaseChange(known.readTables, present.readTables),
  };
  const isAnother = (change: typeof changes.readTables) => change === 'failed over' || change === 'other';
  const haveReadTables = isAnother(changes.readTables);
  if (haveReadTables || isAnother(changes.dashboard)) {
    const seconds = SLACK_SECONDS + (await secondsSinceLastChange(readTables));
    const replayed = await dashboard.replayAcknowledged(seconds);
    // A rebuild that was begun before goes first, and has its keys behind it: they are read anew by themselves.
    // What is cached may belong to generations that read tables lost: no answer of before is to be served under one that comes after.
    const generations = haveReadTables ? (['generations'] as const) : [];
    const scopes = ['apiKeys', ...generations, 'everything'] as const;
    await update.run(epoch, { slices: [], work: scopes.map((of) => ({ kind: 'add', scope: { of } })) });
    log.warn('syncing: a database failed over, and everything is read anew', { ...changes, replayed });
  }
  await rememberIdentity(readTables, 'dashboard', present.dashboard);
  await rememberIdentity(readTables, 'readTables', present.readTables);
  lastWritten.identity = present.readTables;
}

/** A former primary to which the address leads back: it knows nothing of the one in between. */
function isFormer(present: DatabaseIdentity, lastWritten: DatabaseIdentity | null): boolean {
  if (lastWritten === null) return false;
  return databaseChange(lastWritten, present) === 'other' || present.timeline < lastWritten.timeline;
}

/** Throws `OtherDashboard`; null: no dashboard was ever synced. */
export async function requireKnownDashboard(
  dashboard: Dashboard,
  readTables: Database,
  present?: DatabaseIdentity,
): Promise<DatabaseIdentity | null> {
  const known = await knownIdentity(readTables, 'dashboard');
  const found = present ?? (await dashboard.identity());
  if (databaseChange(known, found) === 'other') throw new OtherDashboard(explain(known, found));
  return known;
}

/** Whatever dashboard the address names now is the right one: everything is read anew from it. */
export async function acceptDashboard(dashboard: Dashboard, readTables: Database): Promise<void> {
  const present = await dashboard.identity();
  await rememberIdentity(readTables, 'dashboard', { ...present, timeline: NO_TIMELINE });
}

function explain(known: DatabaseIdentity | null, found: DatabaseIdentity): string {
  const named = ({ systemIdentifier, databaseOid }: DatabaseIdentity) =>
    `database ${databaseOid} of server ${systemIdentifier}`;
  return (
    `WRITE_DATABASE_URL names another database than the read tables were made from: ${named(found)}, ` +
    `not ${known === null ? 'any' : named(known)}. Nothing is synced, since that would delete what the other one does not have. ` +
    'Correct the address; or, if the dashboard was moved, restored or upgraded on purpose, run `npm run sync -- --accept-dashboard`.'
  );
}
