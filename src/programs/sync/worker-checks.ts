import { type MappedConnection, RightMissing } from '../../adapters/dashboard/source/mapped-dashboard.js';
import { PostgresSyncNotes } from '../../adapters/postgres/write/postgres-sync-notes.js';
import { jobsState, unshownCauses } from '../../adapters/postgres/write/sync-state.js';
import { failingEndpoints } from '../../adapters/postgres/write/webhook-state.js';
import { adviceOnConnection } from '../../adapters/sql/advice-on-connection.js';
import { codeOf } from '../../adapters/sql/postgres/fault-of.js';
import { isLate, syncLagMs } from '../../application/sync/sync-lag.js';
import { KindFails } from '../../domain/errors.js';
import { MAX_COUNTED_CHANGES } from '../../domain/model/capture.js';
import type { Check, Finding } from '../../domain/model/finding.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
import { shortened } from '../../domain/policies/row-refusal.js';
import type { DatabaseIdentity } from '../../domain/ports/sync/sync-notes.js';
import { adviceOnReadTables, MIGRATE, migratedByNewer, type ReadTables } from '../admin/checks.js';
import { check, failure, needed, ok, warning } from '../admin/examine.js';
import type { Probe } from '../admin/probe.js';
import { OtherDashboard, requireKnownDashboard } from './known-databases.js';

type Dashboard = Probe<MappedConnection>;

const MIGRATE_BOTH = `${MIGRATE} with both databases`;
const GRANT_IN_DASHBOARD =
  'grant the user of WRITE_DATABASE_URL what `npm run -s migrate -- --grants` prints';
const STATUS = '`npm run sync -- --status`';
const CAUSE = "see `jobs`, and `syncing` in the worker's /readyz, or its log";
export const CORRECT_MAPPING = `correct the file of DASHBOARD_MAPPING, or restore the tables, then ${MIGRATE}`;

/** A worker's locks and settings would also be those of other sessions. */
export function ownSessions(variable: string, areShared: boolean): Finding {
  if (!areShared) return ok('no pooler in between, or one in session mode');
  return failure(
    'a pooler in transaction mode is in between, and the sync worker needs its own sessions',
    `set ${variable} to the server itself, or run the pooler in session mode`,
  );
}

/** The dashboard as a worker needs it. `readTables`: null if an extension keeps the notes. */
export function dashboardCheck(dashboard: Dashboard, readTables: ReadTables | null): Check {
  const read = () => requireDashboard(dashboard, readTables);
  return needed(check('dashboard', orGrant(adviceOnDashboard), read, (finding) => finding));
}

/** For a metric: it says nothing where the checks say nothing either. */
export async function requireDashboard(
  dashboard: Dashboard,
  readTables: ReadTables | null,
): Promise<Finding> {
  await dashboard.query(async (connection) => {
    await connection.requireTables();
    await connection.requireCapture();
  });
  return readTables === null ? ok('has the tables and the change capture') : compared(dashboard, readTables);
}

async function compared(dashboard: Dashboard, readTables: ReadTables): Promise<Finding> {
  let former: DatabaseIdentity | null;
  try {
    former = await readTables.query((tables) => new PostgresSyncNotes(tables).lastIdentity('dashboard'));
  } catch (error) {
    const message = `not compared with the read tables, because READ_DATABASE_URL: ${reasonOf(error)}`;
    return warning(message, null);
  }
  await dashboard.query((connection) =>
    requireKnownDashboard(connection, { lastIdentity: async () => former }),
  );
  return ok(former === null ? 'never synced' : 'the one from which the read tables were filled');
}

function adviceOnDashboard(error: unknown): string {
  if (error instanceof OtherDashboard)
    return 'correct WRITE_DATABASE_URL, or run `npm run sync -- --accept-dashboard`';
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

export function captureCheck(dashboard: Dashboard): Check {
  const read = () => dashboard.query((connection) => connection.captureState());
  return check(
    'changeCapture',
    orGrant(() => MIGRATE_BOTH),
    read,
    ({ broken, isNewer }) => {
      if (isNewer) return migratedByNewer();
      if (broken.length === 0) return ok('all triggers are installed and enabled always');
      return failure(broken.join('; '), `${MIGRATE_BOTH}: it repairs them, and everything is read again`);
    },
  );
}

/** `readTables`: null if an extension keeps the jobs. */
export function lagCheck(dashboard: Dashboard, readTables: ReadTables | null): Check {
  const read = () => lagOf(dashboard, readTables);
  return check('syncLag', orGrant(adviceOnDashboard), read, ({ queue: { length }, lagMs }) => {
    const counted = length > MAX_COUNTED_CHANGES ? `more than ${MAX_COUNTED_CHANGES}` : length;
    const message = `changes that wait: ${counted}; the oldest change, or step of a job, has waited for ${Math.round(lagMs / 1_000)} s`;
    if (!isLate(lagMs)) return ok(message);
    return warning(message, `check with ${STATUS} whether the number decreases; if not, ${CAUSE}`);
  });
}

export async function lagOf(dashboard: Dashboard, readTables: ReadTables | null) {
  const [queue, jobs] = await Promise.all([
    dashboard.query((connection) => connection.lag()),
    readTables?.query(jobsState) ?? null,
  ]);
  return { queue, lagMs: syncLagMs(queue, jobs) };
}

export function jobsCheck(readTables: ReadTables): Check {
  const read = () => readTables.query(jobsState);
  return check('jobs', adviceOnReadTables, read, ({ failing, firstError }) => {
    if (failing === 0) return ok('none fails');
    return warning(
      `${firstError} (jobs that fail and are retried: ${failing})`,
      `mend the cause: they are retried by themselves; ${STATUS} lists them`,
    );
  });
}

/** `reason`: why the sessions of a worker fail. */
export function changesWait(reason: string, otherwise: string | null = null): Finding {
  const advice = ['mend the cause: the worker tries again by itself', otherwise].filter(
    (part) => part !== null,
  );
  return failure(`changes wait: ${reason}`, advice.join('; '));
}

export function unshownCheck(readTables: ReadTables): Check {
  const read = () => readTables.query(unshownCauses);
  return check('unshownRows', adviceOnReadTables, read, (causes) => {
    if (causes.length === 0) return ok('none');
    const lines = causes.map(
      ({ kind, rows, firstId, reason }) => `${kind}: ${rows}, the first one ${shortened(firstId)}: ${reason}`,
    );
    return warning(
      lines.join('; '),
      `${STATUS} lists them: correct them in the dashboard, or the mapping if many have one cause`,
    );
  });
}

export function webhooksCheck(readTables: ReadTables, webhooks: readonly WebhookEndpoint[]): Check {
  const read = () => readTables.query((tables) => failingEndpoints(tables, webhooks));
  return check('webhooks', adviceOnReadTables, read, (failing) => {
    if (failing.length === 0) return ok(`endpoints: ${webhooks.length}; none fails`);
    const endpoints = failing.map(({ endpoint, reason }) => `${endpoint}: ${reason}`);
    return warning(endpoints.join('; '), `${STATUS} lists them: mend the receivers, which are told again`);
  });
}
