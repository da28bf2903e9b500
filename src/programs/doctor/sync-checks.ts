import type { MappedConnection } from '../../adapters/dashboard/source/mapped-dashboard.js';
import { Degraded } from '../../adapters/operations/readiness.js';
import { lastLeader, unshownCauses } from '../../adapters/postgres/inspect/sync-state.js';
import { failingEndpoints } from '../../adapters/postgres/inspect/webhook-state.js';
import type { Replaced } from '../../composition/extensions/extend.js';
import { SESSION } from '../../composition/tokens.js';
import { LEADER_TIMEOUT_MS } from '../../composition/worker-parts.js';
import { MAX_COUNTED_CHANGES } from '../../domain/model/capture.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import { shortened } from '../../domain/policies/row-limits.js';
import type { DatabaseProbe, Probe } from '../admin/probe.js';
import { compareDashboard, OtherDashboard } from '../sync/known-databases.js';
import { describeLag, syncLag, TOLERATED_LAG_MS } from '../sync/sync-lag.js';
import { check, failure, type HealthCheck, ok, type Verdict, warning } from './health-check.js';

const MIGRATE = 'run `npm run migrate` with both databases';
const GRANT = "run `npm run migrate`, and db/grants/in-read-database.sql for the worker's role";
const STATUS = '`npm run sync -- --status`';
const REASON = "see `syncing` in the worker's /readyz, or its log";

/** Whether the dashboard has the tables of the reference schema. */
export function tablesCheck(dashboard: Probe<MappedConnection>): HealthCheck {
  return check(
    'dashboard: tables',
    'correct WRITE_DATABASE_URL, or set DASHBOARD_MAPPING',
    () => dashboard.query((connection) => connection.requireTables()),
    () => ok('those of the reference schema'),
  );
}

/** Whether the read tables were filled from this dashboard. */
export function knownDashboardCheck(
  dashboard: Probe<MappedConnection>,
  readTables: DatabaseProbe,
): HealthCheck {
  const compare = async () => {
    try {
      const identity = await compareDashboard(dashboard, readTables);
      return ok(identity === null ? 'never synced' : 'the one from which the read tables were filled');
    } catch (error) {
      if (error instanceof Degraded) return warning(error.message, 'see `read database` and `migrations`');
      if (!(error instanceof OtherDashboard)) throw error;
      return failure(
        error.message,
        'correct WRITE_DATABASE_URL, or run `npm run sync -- --accept-dashboard`',
      );
    }
  };
  return { name: 'dashboard: identity', ifItFails: MIGRATE, run: compare };
}

/** Whether changes are captured and applied. */
export function captureChecks(
  dashboard: Probe<MappedConnection>,
  readTables: DatabaseProbe | null,
): readonly HealthCheck[] {
  return [
    check(
      'change capture',
      MIGRATE,
      () => dashboard.query((connection) => connection.captureState()),
      ({ broken, isNewer }) => {
        if (isNewer) return warning('migrated by a newer version', 'start the programs of that version');
        return broken.length === 0
          ? ok('all triggers are installed and enabled always')
          : failure(broken.join('; '), `${MIGRATE}: it repairs them, and everything is read again`);
      },
    ),
    check(
      'sync lag',
      MIGRATE,
      () => syncLag(() => dashboard.query((connection) => connection.queue.lag()), readTables),
      (lag) => {
        const { length } = lag.queue;
        const counted = length > MAX_COUNTED_CHANGES ? `more than ${MAX_COUNTED_CHANGES}` : length;
        const finding = `changes that wait: ${counted}; ${describeLag(lag)}`;
        if (lag.lagMs <= TOLERATED_LAG_MS && !lag.jobs?.failing) return ok(finding);
        return warning(finding, `check with ${STATUS} whether the number decreases; if not, ${REASON}`);
      },
    ),
  ];
}

/** The store of an extension has its own checks. */
export function workerChecks(readTables: DatabaseProbe, replaced: Replaced): readonly HealthCheck[] {
  const ofLeadership = check('sync leader', GRANT, () => readTables.query(lastLeader), leaderVerdict);
  const ofRows = check(
    'rows not shown',
    GRANT,
    () => readTables.query(unshownCauses),
    (causes) => {
      if (causes.length === 0) return ok('none');
      const rows = causes.map(
        ({ kind, rows, firstId, reason }) =>
          `${kind}: ${rows}, the first one ${shortened(firstId)}: ${reason}`,
      );
      return warning(rows.join('; '), `${STATUS} lists them: correct them in the dashboard`);
    },
  );
  return [
    ...(replaced.has(SESSION.leadership) ? [] : [ofLeadership]),
    ...(replaced.has(SESSION.readModelWriter) ? [] : [ofRows]),
  ];
}

export function webhooksCheck(readTables: DatabaseProbe, webhooks: readonly WebhookEndpoint[]): HealthCheck {
  return check(
    'webhooks',
    GRANT,
    () => readTables.query((tables) => failingEndpoints(tables, webhooks)),
    (failing) => {
      if (failing.length === 0) return ok(`endpoints: ${webhooks.length}; none fails`);
      const endpoints = failing.map(({ endpoint, reason }) => `${endpoint}: ${reason}`);
      return warning(endpoints.join('; '), `${STATUS} lists them: mend the receivers, which are told again`);
    },
  );
}

function leaderVerdict(last: Awaited<ReturnType<typeof lastLeader>>): Verdict {
  const advice =
    'if no worker runs, start one: `npm run sync`; if one runs, see `syncing` in its /readyz, or its log';
  if (last === null) return failure('there is no leader', advice);
  const finding = `${last.holder}, last beat ${last.lastBeatMs} ms ago`;
  if (!last.leads) return failure(`there is no leader; the last one was ${finding}`, advice);
  if (last.lastBeatMs <= LEADER_TIMEOUT_MS) return ok(finding);
  return failure(finding, 'it is frozen: kill it, and start another worker');
}
