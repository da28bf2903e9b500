import type { MappedDashboard } from '../../adapters/dashboard/source/mapped-dashboard.js';
import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import type { ReadDatabase } from '../../adapters/postgres/read/read-database.js';
import {
  failingEndpoints,
  jobsState,
  lastLeader,
  newestGeneration,
  unshownCauses,
} from '../../adapters/postgres/write/sync-state.js';
import { adviceOnConnection } from '../../adapters/sql/advice-on-connection.js';
import { connectWorker } from '../../adapters/sql/postgres/connect-worker.js';
import { sharesSessions } from '../../adapters/sql/postgres/open-database.js';
import type { WorkerConnection } from '../../adapters/sql/worker-connection.js';
import { syncLagMs } from '../../application/sync/sync-lag.js';
import type { Replaced } from '../../composition/extensions/extend.js';
import { SESSION, type Token } from '../../composition/tokens.js';
import { LEADER_TIMEOUT_MS } from '../../composition/worker-parts.js';
import type { Check } from '../../domain/model/finding.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import { shortened } from '../../domain/policies/row-refusal.js';
import {
  migrationsCheck,
  onReadServer,
  type ReadTables,
  rightsCheck,
  serverCheck,
  sessionsCheck,
  tableCheck,
} from '../admin/checks.js';
import { before, checkBy, failure, ok, thorough, warning } from '../admin/examine.js';
import { Probe } from '../admin/probe.js';
import {
  captureCheck,
  type Dashboard,
  dashboardCheck,
  lagCheck,
  mappingCheck,
  mappingInFullCheck,
  orGrant,
  STATUS,
} from './dashboard-checks.js';
import type { SyncDatabases } from './sync-session.js';

const MEND = 'mend the cause: the worker tries again by itself';
const START_A_WORKER =
  'if no worker runs, start one: `npm run sync`; if one runs, see `syncing` in its /readyz, or its log';

/** Checks what a worker depends on, outside its session, unless extensions store it. */
export class WorkerChecks {
  readonly list: readonly Check[];
  readonly #dashboard: Dashboard | null;
  readonly #readTables: Probe<WorkerConnection> | null;

  constructor(
    { engine, readDatabaseUrl }: SyncDatabases,
    private readonly webhooks: readonly WebhookEndpoint[],
    private readonly replaced: Replaced,
    timeoutMs?: number,
  ) {
    this.#dashboard = engine && new Probe((name) => engine.connect(name), timeoutMs);
    this.#readTables =
      readDatabaseUrl === null ? null : new Probe((name) => connectWorker(readDatabaseUrl, name), timeoutMs);
    this.list = [
      ...(this.#readTables === null ? [] : this.#ofReadTables(this.#readTables)),
      ...(this.#dashboard === null || engine === null ? [] : this.#ofDashboard(this.#dashboard, engine)),
    ];
  }

  #ofReadTables(readTables: ReadTables): readonly Check[] {
    const stored = (port: Token, checkOf: (tables: ReadTables) => Check) =>
      this.#unlessReplaced(port) === null ? [] : [checkOf(readTables)];
    const sessions = sessionsCheck('readSessions', 'READ_DATABASE_URL', () =>
      readTables.query(({ database }) => sharesSessions(database)),
    );
    const onTables = before(migrationsCheck(readTables), [
      rightsCheck('worker', readTables),
      ...stored(SESSION.leadership, leaderCheck),
      ...stored(SESSION.jobQueue, jobsCheck),
      ...stored(SESSION.readModelWriter, unshownCheck),
      webhooksCheck(readTables, this.webhooks),
    ]);
    return onReadServer(readTables, [sessions, ...onTables]);
  }

  #ofDashboard(dashboard: Dashboard, engine: MappedDashboard): readonly Check[] {
    const variable = 'WRITE_DATABASE_URL';
    const server = serverCheck('dashboardServer', orGrant(adviceOnConnection(variable)), variable, () =>
      dashboard.query((connection) => connection.server()),
    );
    const sessions = sessionsCheck('dashboardSessions', variable, () =>
      dashboard.query((connection) => connection.sharesSessions()),
    );
    const onDashboard = before(dashboardCheck(dashboard, this.#unlessReplaced(SESSION.syncNotes)), [
      ...before(mappingCheck(dashboard), [mappingInFullCheck(dashboard, engine)]),
      captureCheck(dashboard),
      { ...lagCheck(() => this.#lagOf(dashboard)), after: ['jobs'] },
    ]);
    return before(server, [sessions, ...onDashboard]);
  }

  /** The gauges of the worker. Those of the dashboard fail if it is not the synced one. */
  watch(metrics: PrometheusMetrics): void {
    if (this.#dashboard !== null) this.#watchDashboard(metrics, this.#dashboard);
    if (this.#readTables !== null) this.#watchReadTables(metrics, this.#readTables);
  }

  #watchDashboard(metrics: PrometheusMetrics, dashboard: Dashboard): void {
    const check = dashboardCheck(dashboard, this.#unlessReplaced(SESSION.syncNotes));
    const requireSynced = async () => {
      const { outcome, message } = await check.run();
      if (outcome === 'failure') throw new Error(message);
    };
    metrics.watch(['syncLag', 'syncQueue'], async () => {
      await requireSynced();
      const { queue, lagMs } = await this.#lagOf(dashboard);
      return { syncLag: lagMs / 1000, syncQueue: queue.length };
    });
    metrics.watch(['syncCaptureBroken'], async () => {
      await requireSynced();
      const { broken } = await dashboard.query((connection) => connection.captureState());
      return { syncCaptureBroken: broken.length };
    });
  }

  #watchReadTables(metrics: PrometheusMetrics, readTables: ReadTables): void {
    metrics.watch(['syncUnshown'], async () => {
      const causes = await readTables.query(({ database }) => unshownCauses(database));
      return { syncUnshown: causes.reduce((sum, { rows }) => sum + rows, 0) };
    });
    metrics.watch(['syncOldestJob', 'syncFailingJobs'], async () => {
      const { oldestMs, failing } = await readTables.query(({ database }) => jobsState(database));
      return { syncOldestJob: (oldestMs ?? 0) / 1000, syncFailingJobs: failing };
    });
    metrics.watch(['webhooksFailing'], async () => {
      const failing = await readTables.query(({ database }) => failingEndpoints(database, this.webhooks));
      return { webhooksFailing: failing.reduce((sum, { organizations }) => sum + organizations, 0) };
    });
    metrics.watch(['generationAge'], async () => {
      const newest = await readTables.query(({ database }) => newestGeneration(database));
      return { generationAge: Math.max(0, Date.now() / 1000 - newest / 1e6) };
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#dashboard?.close(), this.#readTables?.close()]);
  }

  async #lagOf(dashboard: Dashboard) {
    const [queue, jobs] = await Promise.all([
      dashboard.query((connection) => connection.lag()),
      this.#unlessReplaced(SESSION.jobQueue)?.query(({ database }) => jobsState(database)) ?? null,
    ]);
    return { queue, lagMs: syncLagMs(queue, jobs) };
  }

  /** Null: an extension stores it. */
  #unlessReplaced(port: Token): ReadTables | null {
    return this.replaced.has(port) ? null : this.#readTables;
  }
}

function leaderCheck(readTables: ReadTables): Check {
  const read = (database: ReadDatabase) => lastLeader(database, LEADER_TIMEOUT_MS);
  const syncLeader = tableCheck('syncLeader', readTables, read, (last) => {
    if (last === null) return failure('there is no leader', START_A_WORKER, 'none');
    // A failing worker leads again and again, for a moment each time.
    if (last.failure !== null)
      return failure(`changes wait: ${last.failure}`, `${MEND}; ${START_A_WORKER}`, 'failing');
    const leader = `${last.holder}, last beat ${last.lastBeatMs} ms ago`;
    if (!last.leads) return failure(`there is no leader; the last one was ${leader}`, START_A_WORKER, 'none');
    if (last.lastBeatMs <= LEADER_TIMEOUT_MS) return ok(leader);
    return failure(leader, 'it is frozen: kill it, and start another worker', 'frozen');
  });
  return thorough(syncLeader);
}

function jobsCheck(readTables: ReadTables): Check {
  return tableCheck('jobs', readTables, jobsState, ({ failing, firstError }) => {
    if (failing === 0) return ok('none fails');
    const advice = `mend the cause: they are retried by themselves; ${STATUS} lists them`;
    return warning(`${firstError} (jobs that fail and are retried: ${failing})`, advice, 'failing');
  });
}

function unshownCheck(readTables: ReadTables): Check {
  return tableCheck('unshownRows', readTables, unshownCauses, (causes) => {
    if (causes.length === 0) return ok('none');
    const lines = causes.map(
      ({ kind, rows, firstId, reason }) => `${kind}: ${rows}, the first one ${shortened(firstId)}: ${reason}`,
    );
    const advice = `${STATUS} lists them: correct them in the dashboard, or the mapping if many have one cause`;
    return warning(lines.join('; '), advice, 'some');
  });
}

function webhooksCheck(readTables: ReadTables, webhooks: readonly WebhookEndpoint[]): Check {
  const read = (database: ReadDatabase) => failingEndpoints(database, webhooks);
  return tableCheck('webhooks', readTables, read, (failing) => {
    if (failing.length === 0) return ok(`endpoints: ${webhooks.length}; none fails`);
    const endpoints = failing.map(({ endpoint, reason }) => `${endpoint}: ${reason}`);
    const advice = `${STATUS} lists them: mend the receivers, which are told again`;
    return warning(endpoints.join('; '), advice, 'failing');
  });
}

/** Whether the sessions of a running worker fail. */
export function syncingCheck(failureReason: () => string | null): Check {
  return checkBy('syncing', async () => {
    const reason = failureReason();
    return reason === null ? ok('its sessions do not fail') : failure(`changes wait: ${reason}`, MEND);
  });
}
