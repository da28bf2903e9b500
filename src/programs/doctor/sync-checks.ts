import { adviceOnBlocking, describeBlocking } from '../../adapters/cli/blocking-session.js';
import { describeLength } from '../../adapters/cli/sync-report.js';
import type { DashboardConnection } from '../../adapters/dashboard/dashboard-connection.js';
import { jobsState, lastLeader, quarantinedRows } from '../../adapters/postgres/inspect/sync-state.js';
import type { Replaced } from '../../composition/extensions/extend.js';
import type { Token } from '../../composition/extensions/ports.js';
import { LEADER_TIMEOUT_MS } from '../../composition/leader-timeout.js';
import { SESSION } from '../../composition/session-tokens.js';
import { shortened } from '../../domain/policies/row-limits.js';
import type { SyncNotes } from '../../domain/ports/sync-notes.js';
import type { DatabaseProbe, Probe } from '../admin/probe.js';
import { sessionsBlockingWorker } from '../sync/blocking.js';
import { requireKnownDashboard } from '../sync/known-databases.js';
import { failure, type HealthCheck, ok, warning } from './health-check.js';

/** The threshold of the alert BlogSyncLags. */
const TOLERATED_LAG_MS = 30_000;
const MIGRATE = 'run `npm run migrate` with both databases';
const STATUS = '`npm run sync -- --status`';
const REASON = "see `syncing` in the worker's /readyz, or its log";

/** Whether the read tables were filled from this dashboard. */
export function knownDashboardCheck(
  dashboard: Probe<DashboardConnection>,
  notes: Probe<SyncNotes>,
): HealthCheck {
  return {
    name: 'dashboard: identity',
    ifItFails: 'correct WRITE_DATABASE_URL, or run `npm run sync -- --accept-dashboard`',
    run: async () => {
      const known = await dashboard.query((connection) =>
        notes.query((syncNotes) => requireKnownDashboard(connection, syncNotes)),
      );
      return ok(known === null ? 'never synced' : 'the one from which the read tables were filled');
    },
  };
}

/** Whether changes are captured and applied. */
export function captureChecks(dashboard: Probe<DashboardConnection>): readonly HealthCheck[] {
  return [
    {
      name: 'change capture',
      ifItFails: MIGRATE,
      run: async () => {
        const { broken } = await dashboard.query((connection) => connection.captureState());
        if (broken.length === 0) return ok('all triggers are installed and enabled always');
        return failure(broken.join('; '), `${MIGRATE}: it repairs them, and everything is read again`);
      },
    },
    {
      name: 'sync lag',
      ifItFails: MIGRATE,
      run: async () => {
        const { length, lagMs } = await dashboard.query((connection) => connection.queue());
        if (lagMs === null) return ok('no change is waiting');
        const found = `${describeLength(length)} ${length === 1 ? 'waits' : 'wait'}, the oldest for ${lagMs} ms`;
        if (lagMs <= TOLERATED_LAG_MS) return ok(found);
        return warning(found, `check with ${STATUS} whether the number decreases; if not, ${REASON}`);
      },
    },
  ];
}

/** The store of an extension has its own checks. */
export function workerChecks(readTables: DatabaseProbe, replaced: Replaced): readonly HealthCheck[] {
  const checks: readonly (HealthCheck & { readonly port: Token })[] = [
    {
      port: SESSION.leadership,
      name: 'sync leader',
      ifItFails: "run `npm run migrate`, and db/grants/in-read-database.sql for the worker's role",
      run: async () => {
        const last = await readTables.query(lastLeader);
        const advice =
          'if no worker runs, start one: `npm run sync`; if one runs, see `syncing` in its /readyz, or its log';
        if (last === null) return failure('there is no leader', advice);
        const found = `${last.holder}, last beat ${last.lastBeatMs} ms ago`;
        if (!last.leads) return failure(`there is no leader; the last one was ${found}`, advice);
        if (last.lastBeatMs <= LEADER_TIMEOUT_MS) return ok(found);
        return failure(found, 'it is frozen: kill it, and start another worker');
      },
    },
    {
      port: SESSION.leadership,
      name: 'sync locks',
      ifItFails: 'see read database',
      run: async () => {
        const blocking = await readTables.query(sessionsBlockingWorker);
        if (blocking.length === 0) return ok('no session blocks the worker');
        return warning(blocking.map(describeBlocking).join('; '), blocking.map(adviceOnBlocking).join('; '));
      },
    },
    {
      port: SESSION.jobQueue,
      name: 'sync work',
      ifItFails: "run `npm run migrate`, and db/grants/in-read-database.sql for the worker's role",
      run: async () => {
        const { oldestMs, failing } = await readTables.query(jobsState);
        if (failing > 0) {
          const found = `${failing} ${failing === 1 ? 'job fails' : 'jobs fail'}`;
          return warning(found, `${STATUS} shows the errors; they are retried`);
        }
        return ok(
          oldestMs === null
            ? 'no job is waiting'
            : `the oldest unfinished job was requested ${oldestMs} ms ago`,
        );
      },
    },
    {
      port: SESSION.readModelWriter,
      name: 'rows quarantined',
      ifItFails: "run `npm run migrate`, and db/grants/in-read-database.sql for the worker's role",
      run: async () => {
        const rows = await readTables.query(quarantinedRows);
        const [first] = rows;
        if (first === undefined) return ok('none');
        const found = `${rows.length}, the first one ${first.kind} ${shortened(first.id)}: ${first.reason}`;
        return warning(found, `${STATUS} lists them: correct them in the dashboard`);
      },
    },
  ];
  return checks.filter(({ port }) => !replaced.has(port));
}
