import type { MappedConnection } from '../../adapters/dashboard/source/mapped-dashboard.js';
import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import { type Check, Degraded } from '../../adapters/operations/readiness.js';
import { jobsState, newestGeneration, unshownCauses } from '../../adapters/postgres/inspect/sync-state.js';
import { failingEndpoints } from '../../adapters/postgres/inspect/webhook-state.js';
import { SelectFails } from '../../domain/errors.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import { reasonOf } from '../../domain/policies/reason-of.js';
import { MAX_ROWS_OF_A_CAUSE } from '../../domain/policies/unshown-row.js';
import { MIGRATED_BY_NEWER, migrationsCheck, rightsCheck, workerWith } from '../admin/checks.js';
import { type DatabaseProbe, type Probe, probeOfDashboard, probeOn } from '../admin/probe.js';
import { compareDashboard } from './known-databases.js';
import { describeLag, syncLag, TOLERATED_LAG_MS } from './sync-lag.js';
import type { SyncDatabases } from './sync-session.js';

/** The state of a worker's databases, checked outside its session, unless they are replaced. */
export class WorkerHealth {
  readonly #dashboard: Probe<MappedConnection> | null;
  readonly #readTables: DatabaseProbe | null;

  constructor(
    { engine, readDatabaseUrl }: SyncDatabases,
    private readonly webhooks: readonly WebhookEndpoint[],
  ) {
    this.#dashboard = engine && probeOfDashboard(engine);
    this.#readTables = readDatabaseUrl === null ? null : probeOn(readDatabaseUrl);
  }

  checks(): readonly Check[] {
    const dashboard = this.#dashboard;
    const readTables = this.#readTables;
    const ofDashboard =
      dashboard === null
        ? []
        : [
            this.#dashboardCheck(dashboard),
            mappingCheck(dashboard),
            captureCheck(dashboard),
            lagCheck(dashboard, readTables),
          ];
    const ofReadTables =
      readTables === null
        ? []
        : [
            migrationsCheck('readTables', (query) => readTables.query(query)),
            rightsCheck(workerWith(this.webhooks), (query) => readTables.query(query)),
            jobsCheck(readTables),
            causesCheck(readTables),
            webhooksCheck(readTables, this.webhooks),
          ];
    return [...ofDashboard, ...ofReadTables];
  }

  watch(metrics: PrometheusMetrics): void {
    const dashboard = this.#dashboard;
    if (dashboard !== null) {
      metrics.watch(['syncLag', 'syncQueue'], async () => {
        const { queue, lagMs } = await syncLag(() => dashboard.query(lagOf), this.#readTables);
        return { syncLag: lagMs / 1000, syncQueue: queue.length };
      });
      metrics.watch(['syncCaptureBroken'], async () => ({
        syncCaptureBroken: (await dashboard.query((connection) => connection.captureState())).broken.length,
      }));
    }
    const readTables = this.#readTables;
    if (readTables === null) return;
    metrics.watch(['syncUnshown'], async () => ({
      syncUnshown: (await readTables.query(unshownCauses)).reduce((sum, { rows }) => sum + rows, 0),
    }));
    metrics.watch(['syncOldestJob', 'syncFailingJobs'], async () => {
      const { oldestMs, failing } = await readTables.query(jobsState);
      return { syncOldestJob: (oldestMs ?? 0) / 1000, syncFailingJobs: failing };
    });
    metrics.watch(['webhooksFailing'], async () => {
      const failing = await readTables.query((tables) => failingEndpoints(tables, this.webhooks));
      return { webhooksFailing: failing.reduce((sum, { organizations }) => sum + organizations, 0) };
    });
    metrics.watch(['generationAge'], async () => ({
      generationAge: Math.max(0, Date.now() / 1000 - (await readTables.query(newestGeneration)) / 1e6),
    }));
  }

  async close(): Promise<void> {
    await Promise.all([this.#dashboard?.close(), this.#readTables?.close()]);
  }

  #dashboardCheck(dashboard: Probe<MappedConnection>): Check {
    const readTables = this.#readTables;
    return {
      name: 'dashboard',
      run: async () => {
        await dashboard.query(async (connection) => {
          await connection.requireTables();
          await connection.requireCapture();
        });
        if (readTables !== null) await compareDashboard(dashboard, readTables);
      },
    };
  }
}

/** A select that fails keeps its rows as they were, without a change that waits. */
function mappingCheck(dashboard: Probe<MappedConnection>): Check {
  return {
    name: 'mapping',
    run: async () => {
      try {
        await dashboard.query((connection) => connection.requireSelects());
      } catch (error) {
        // An unavailable dashboard fails in the check of that name.
        if (!(error instanceof SelectFails)) throw new Degraded(`not checked: ${reasonOf(error)}`);
        throw new Degraded(`changes of what it reads are not applied: ${error.message}`);
      }
    },
  };
}

function captureCheck(dashboard: Probe<MappedConnection>): Check {
  return {
    name: 'changeCapture',
    run: async () => {
      const { broken, isNewer } = await dashboard.query((connection) => connection.captureState());
      if (isNewer) throw new Degraded(MIGRATED_BY_NEWER);
      if (broken.length > 0)
        throw new Degraded(
          `changes are missed, or cannot be read; \`npm run migrate\` repairs it or names the cause: ${broken.join('; ')}`,
        );
    },
  };
}

function jobsCheck(readTables: DatabaseProbe): Check {
  return {
    name: 'jobs',
    run: async () => {
      const { failing, firstError } = await readTables.query(jobsState);
      if (failing > 0)
        throw new Degraded(
          `${firstError} (jobs that fail and are retried: ${failing}; \`npm run sync -- --status\` lists them)`,
        );
    },
  };
}

function webhooksCheck(readTables: DatabaseProbe, webhooks: readonly WebhookEndpoint[]): Check {
  return {
    name: 'webhooks',
    run: async () => {
      const failing = await readTables.query((tables) => failingEndpoints(tables, webhooks));
      if (failing.length === 0) return;
      const endpoints = failing.map(({ endpoint, reason }) => `${endpoint}: ${reason}`);
      throw new Degraded(`endpoints that fail and are told again: ${endpoints.join('; ')}`);
    },
  };
}

function lagCheck(dashboard: Probe<MappedConnection>, readTables: DatabaseProbe | null): Check {
  return {
    name: 'syncLag',
    run: async () => {
      const lag = await syncLag(() => dashboard.query(lagOf), readTables);
      if (lag.lagMs > TOLERATED_LAG_MS) throw new Degraded(describeLag(lag));
    },
  };
}

function lagOf({ queue }: MappedConnection) {
  return queue.lag();
}

/** Many rows with one cause are the fault of a column or of an expression. */
function causesCheck(readTables: DatabaseProbe): Check {
  return {
    name: 'unshownRows',
    run: async () => {
      const causes = (await readTables.query(unshownCauses)).filter(({ rows }) => rows > MAX_ROWS_OF_A_CAUSE);
      if (causes.length === 0) return;
      const lines = causes.map(({ kind, rows, reason }) => `${rows} rows of ${kind}: ${reason}`);
      throw new Degraded(`rows are not shown as they are, for one cause each: ${lines.join('; ')}`);
    },
  };
}
