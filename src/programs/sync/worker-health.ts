import type { MappedConnection } from '../../adapters/dashboard/source/mapped-dashboard.js';
import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import { jobsState, newestGeneration, unshownCauses } from '../../adapters/postgres/write/sync-state.js';
import { failingEndpoints } from '../../adapters/postgres/write/webhook-state.js';
import type { Replaced } from '../../composition/extensions/extend.js';
import { SESSION, type Token } from '../../composition/tokens.js';
import type { Check } from '../../domain/model/finding.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import { migrationsCheck, rightsCheck } from '../admin/checks.js';
import { before } from '../admin/examine.js';
import { type DatabaseProbe, type Probe, probeOfDashboard, probeOn } from '../admin/probe.js';
import type { SyncDatabases } from './sync-session.js';
import {
  captureCheck,
  dashboardCheck,
  jobsCheck,
  lagCheck,
  lagOf,
  mappingCheck,
  requireDashboard,
  unshownCheck,
  webhooksCheck,
} from './worker-checks.js';

/** The state of a worker's databases, checked outside its session, unless they are replaced. */
export class WorkerHealth {
  readonly dashboard: Probe<MappedConnection> | null;
  readonly readTables: DatabaseProbe | null;

  constructor(
    { engine, readDatabaseUrl }: SyncDatabases,
    private readonly webhooks: readonly WebhookEndpoint[],
    private readonly replaced: Replaced,
    timeoutMs?: number,
  ) {
    this.dashboard = engine && probeOfDashboard(engine, timeoutMs);
    this.readTables = readDatabaseUrl === null ? null : probeOn(readDatabaseUrl, timeoutMs);
  }

  get checksOfReadTables(): readonly Check[] {
    const { readTables, webhooks } = this;
    if (readTables === null) return [];
    const jobs = this.unlessReplaced(SESSION.jobQueue);
    const rows = this.unlessReplaced(SESSION.readModelWriter);
    const dependents = [
      rightsCheck('worker', readTables),
      ...(jobs === null ? [] : [jobsCheck(jobs)]),
      ...(rows === null ? [] : [unshownCheck(rows)]),
      webhooksCheck(readTables, webhooks),
    ];
    return before(migrationsCheck('readTables', readTables), dependents);
  }

  get checksOfDashboard(): readonly Check[] {
    const { dashboard } = this;
    if (dashboard === null) return [];
    const lag = lagCheck(dashboard, this.unlessReplaced(SESSION.jobQueue));
    return before(dashboardCheck(dashboard, this.unlessReplaced(SESSION.syncNotes)), [
      mappingCheck(dashboard),
      captureCheck(dashboard),
      { ...lag, after: ['jobs'] },
    ]);
  }

  watch(metrics: PrometheusMetrics): void {
    const { dashboard, readTables } = this;
    if (dashboard !== null) {
      const requireSynced = () => requireDashboard(dashboard, this.unlessReplaced(SESSION.syncNotes));
      metrics.watch(['syncLag', 'syncQueue'], async () => {
        await requireSynced();
        const { queue, lagMs } = await lagOf(dashboard, this.unlessReplaced(SESSION.jobQueue));
        return { syncLag: lagMs / 1000, syncQueue: queue.length };
      });
      metrics.watch(['syncCaptureBroken'], async () => {
        await requireSynced();
        const { broken } = await dashboard.query((connection) => connection.captureState());
        return { syncCaptureBroken: broken.length };
      });
    }
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
    await Promise.all([this.dashboard?.close(), this.readTables?.close()]);
  }

  /** Null if an extension stores it. */
  unlessReplaced(port: Token): DatabaseProbe | null {
    return this.replaced.has(port) ? null : this.readTables;
  }
}
