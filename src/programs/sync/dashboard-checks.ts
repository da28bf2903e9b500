import {
  type MappedConnection,
  type MappedDashboard,
  RightMissing,
} from '../../adapters/dashboard/source/mapped-dashboard.js';
import { PostgresSyncNotes } from '../../adapters/postgres/write/postgres-sync-notes.js';
import { adviceOnConnection } from '../../adapters/sql/advice-on-connection.js';
import { isLate } from '../../application/sync/sync-lag.js';
import { KindFails } from '../../domain/errors.js';
import { type ChangeQueue, MAX_COUNTED_CHANGES } from '../../domain/model/capture.js';
import type { Check, Finding } from '../../domain/model/finding.js';
import { codeOf, reasonOf } from '../../domain/policies/reason-of.js';
import type { DatabaseIdentity } from '../../domain/ports/sync/sync-notes.js';
import { MIGRATE, migratedByNewer, type ReadTables } from '../admin/checks.js';
import { check, failure, needed, ok, thorough, warning } from '../admin/examine.js';
import type { Probe } from '../admin/probe.js';
import { OtherDashboard, requireKnownDashboard } from './known-databases.js';

/** For the check of the mapping in full, which reads the ids of all rows. */
const MAPPING_TIMEOUT_MS = 60_000;
const MIGRATE_BOTH = `${MIGRATE} with both databases`;
const CORRECT_MAPPING = `correct the file of DASHBOARD_MAPPING, or restore the tables, then ${MIGRATE}`;
const GRANT_IN_DASHBOARD =
  'grant the user of WRITE_DATABASE_URL what `npm run -s migrate -- --grants` prints';

export const STATUS = '`npm run sync -- --status`';
const CAUSE = "see `jobs`, and `syncing` in the worker's /readyz, or its log";

export type Dashboard = Probe<MappedConnection>;

/** The dashboard as a worker needs it. `readTables`: null if an extension keeps the notes. */
export function dashboardCheck(dashboard: Dashboard, readTables: ReadTables | null): Check {
  const read = async (): Promise<Finding> => {
    await dashboard.query(async (connection) => {
      await connection.requireTables();
      await connection.requireCapture();
    });
    return readTables === null
      ? ok('has the tables and the change capture')
      : compared(dashboard, readTables);
  };
  return needed(check('dashboard', orGrant(adviceOnDashboard), read, (finding) => finding));
}

async function compared(dashboard: Dashboard, readTables: ReadTables): Promise<Finding> {
  let former: DatabaseIdentity | null;
  try {
    former = await readTables.query(({ database }) =>
      new PostgresSyncNotes(database).lastIdentity('dashboard'),
    );
  } catch (error) {
    const message = `not compared with the read tables, because READ_DATABASE_URL: ${reasonOf(error)}`;
    return warning(message, null, 'notCompared');
  }
  try {
    await dashboard.query((connection) =>
      requireKnownDashboard(connection, { lastIdentity: async () => former }),
    );
  } catch (error) {
    if (!(error instanceof OtherDashboard)) throw error;
    const advice = 'correct WRITE_DATABASE_URL, or run `npm run sync -- --accept-dashboard`';
    return failure(error.message, advice, 'other');
  }
  return ok(former === null ? 'never synced' : 'the one from which the read tables were filled');
}

function adviceOnDashboard(error: unknown): string {
  return codeOf((error as Error).cause ?? error) === ''
    ? // MariaDB hides a table from a user without a right to it.
      `correct WRITE_DATABASE_URL, or ${MIGRATE_BOTH}; if the tables exist, ${GRANT_IN_DASHBOARD}`
    : adviceOnConnection('WRITE_DATABASE_URL')(error);
}

/** The advice on other errors than a missing right. */
export function orGrant(adviceOn: (error: unknown) => string): (error: unknown) => string {
  return (error) => (error instanceof RightMissing ? GRANT_IN_DASHBOARD : adviceOn(error));
}

/** A select that fails keeps its rows as they were, without a change that waits. */
export function mappingCheck(dashboard: Dashboard): Check {
  const read = () => dashboard.query((connection) => connection.requireSelects());
  const adviceOn = (error: unknown) => (error instanceof KindFails ? CORRECT_MAPPING : MIGRATE_BOTH);
  return check('mapping', orGrant(adviceOn), read, () => ok('its selects fit the tables'));
}

/** Whether a mapping matches the current tables in everything. */
export function mappingInFullCheck(dashboard: Dashboard, engine: MappedDashboard): Check {
  const read = () => dashboard.query(({ database }) => engine.check(database), MAPPING_TIMEOUT_MS);
  const adviceOn = orGrant(() => `${MIGRATE}, which has no time limit`);
  return thorough(
    check('mappingInFull', adviceOn, read, ({ errors, warnings }) => {
      if (errors.length > 0) return failure(errors.join('; '), CORRECT_MAPPING, 'wrong');
      if (warnings.length === 0) return ok('fits the tables');
      return warning(warnings.join('; '), 'docs/dashboards.md explains each of them', 'doubtful');
    }),
  );
}

export function captureCheck(dashboard: Dashboard): Check {
  const adviceOn = orGrant(() => MIGRATE_BOTH);
  const read = () => dashboard.query((connection) => connection.captureState());
  return check('changeCapture', adviceOn, read, ({ broken, isNewer }) => {
    if (isNewer) return migratedByNewer();
    if (broken.length === 0) return ok('all triggers are installed and enabled always');
    const advice = `${MIGRATE_BOTH}: it repairs them, and everything is read again`;
    return failure(broken.join('; '), advice, 'broken');
  });
}

export function lagCheck(read: () => Promise<{ queue: ChangeQueue; lagMs: number }>): Check {
  return check('syncLag', orGrant(adviceOnDashboard), read, ({ queue: { length }, lagMs }) => {
    const counted = length > MAX_COUNTED_CHANGES ? `more than ${MAX_COUNTED_CHANGES}` : length;
    const message = `changes that wait: ${counted}; the oldest change, or step of a job, has waited for ${Math.round(lagMs / 1_000)} s`;
    if (!isLate(lagMs)) return ok(message);
    const advice = `check with ${STATUS} whether the number decreases; if not, ${CAUSE}`;
    return warning(message, advice, 'late');
  });
}
