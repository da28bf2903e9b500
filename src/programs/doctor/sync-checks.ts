import type { DashboardConnection } from '../../adapters/dashboard/dashboard-engine.js';
import { PostgresSyncNotes } from '../../adapters/postgres/write/postgres-sync-notes.js';
import type { DatabaseProbe, Probe } from '../admin/probe.js';
import { requireKnownDashboard } from '../sync/known-databases.js';
import { check, failure, type HealthCheck, ok } from './health-check.js';

const MIGRATE = 'run `npm run migrate` with both databases';

/** Whether the read tables were filled from this dashboard. */
export function knownDashboardCheck(
  dashboard: Probe<DashboardConnection>,
  readTables: DatabaseProbe,
): HealthCheck {
  return check(
    'dashboard: identity',
    'correct WRITE_DATABASE_URL, or run `npm run sync -- --accept-dashboard`',
    () =>
      dashboard.query((connection) =>
        readTables.query((tables) => requireKnownDashboard(connection, new PostgresSyncNotes(tables))),
      ),
    (identity) => ok(identity === null ? 'never synced' : 'the one from which the read tables were filled'),
  );
}

/** Whether changes are captured. */
export function captureCheck(dashboard: Probe<DashboardConnection>): HealthCheck {
  return check(
    'change capture',
    MIGRATE,
    () => dashboard.query((connection) => connection.captureState()),
    ({ broken }) =>
      broken.length === 0
        ? ok('all triggers are installed and enabled always')
        : failure(broken.join('; '), `${MIGRATE}: it repairs them, and everything is read again`),
  );
}
