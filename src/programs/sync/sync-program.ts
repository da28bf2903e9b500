import { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import type { OutputStream } from '../../adapters/system/pino-log.js';
import { dashboardOf } from '../../composition/dashboard-of.js';
import { type Extended, extendedWorker } from '../../composition/extensions/extend.js';
import type { WorkerAdditions } from '../../composition/extensions/extension.js';
import type { SyncConfiguration } from '../../composition/settings/configuration.js';
import { ConfigurationError } from '../../composition/settings/read-settings.js';
import { nameOfPort, SESSION } from '../../composition/tokens.js';
import { openWebhookSession, workerParts } from '../../composition/worker-parts.js';
import type { Check, Examined } from '../../domain/model/finding.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { Metrics } from '../../domain/ports/system/metrics.js';
import { examineAtOnce } from '../admin/examine.js';
import { RunningExtensions } from '../admin/running-extensions.js';
import type { OperatedProgram } from '../program.js';
import { acceptDashboard } from './known-databases.js';
import { SyncLoop } from './sync-loop.js';
import { openSyncSession, type SyncSession, sharedBySessions } from './sync-session.js';
import { WebhookLoop } from './webhook-loop.js';
import { syncingCheck, WorkerChecks } from './worker-checks.js';

/** The sync worker. Runs until it is stopped, whatever fails meanwhile. */
export class SyncProgram implements OperatedProgram {
  readonly log: Log;
  readonly replaced: OperatedProgram['replaced'];
  readonly loop: SyncLoop;
  readonly #extensions: RunningExtensions;
  readonly #open: () => SyncSession;
  readonly #checks: WorkerChecks;
  readonly #webhooks: WebhookLoop | null;
  /** Created with the program, so that errors are reported immediately. Null: it was taken. */
  #first: SyncSession | null = null;

  constructor(
    configuration: SyncConfiguration,
    prometheus: PrometheusMetrics,
    logTo: OutputStream = process.stdout,
    extended: Extended<WorkerAdditions> = extendedWorker([], {}),
  ) {
    const { ports, openSession, close } = workerParts(configuration, prometheus, logTo, extended);
    this.#extensions = new RunningExtensions(extended, close);
    this.log = ports.log;
    this.replaced = this.#extensions.replaced;
    const { metrics } = ports;
    const { readDatabaseUrl, writeDatabaseUrl, dashboardMapping, syncPollMs, webhooks } = configuration;
    // Null: extensions replace the dashboard's content.
    const engine = writeDatabaseUrl === null ? null : dashboardOf({ writeDatabaseUrl, dashboardMapping });
    const shared = sharedBySessions();
    this.#open = () =>
      openSyncSession({ engine, readDatabaseUrl }, metrics, this.log, extended, openSession, shared);
    this.loop = new SyncLoop(() => this.#takeFirst() ?? this.#open(), syncPollMs, metrics, this.log);
    try {
      this.#first = this.#open();
      const { dashboard, hasReadTables } = this.#first;
      const inUse = { engine: dashboard && engine, readDatabaseUrl: hasReadTables ? readDatabaseUrl : null };
      this.#checks = new WorkerChecks(inUse, webhooks, extended.replaced);
      this.#webhooks = this.#webhookLoop(configuration, metrics, extended);
    } catch (error) {
      // Connections that are open are not needed any more.
      this.#close().catch(() => {});
      throw error;
    }
    this.#checks.watch(prometheus);
    prometheus.watch(['syncLeader'], () => ({ syncLeader: Number(this.loop.epoch !== null) }));
  }

  async start(): Promise<void> {
    await this.#extensions.start(this.log, 'sync');
    this.loop.start();
    this.#webhooks?.start();
  }

  /** Waits for a condition, which this worker or another one meets. */
  async runUntil(isDone: (session: SyncSession) => Promise<boolean>): Promise<void> {
    await this.#extensions.start(this.log, 'sync');
    await this.loop.runUntil(isDone);
  }

  /** For queries that need no leadership. */
  async withSession(use: (session: SyncSession) => Promise<void>): Promise<void> {
    await this.#extensions.start(this.log, 'sync');
    const session = this.#takeFirst() ?? this.#open();
    try {
      await use(session);
    } finally {
      await session.close();
    }
  }

  examine(): Promise<readonly Examined[]> {
    return examineAtOnce(this.checks());
  }

  checks(): readonly Check[] {
    return [...this.#checks.list, syncingCheck(() => this.loop.failureReason), ...this.#extensions.checks];
  }

  async stop(): Promise<void> {
    await Promise.all([this.loop.stop(), this.#webhooks?.stop()]);
    await this.#checks.close();
    await this.#close();
  }

  async #close(): Promise<void> {
    await this.#takeFirst()?.close();
    await this.#extensions.stop(this.log);
  }

  #takeFirst(): SyncSession | null {
    const first = this.#first;
    this.#first = null;
    return first;
  }

  /** Null: WEBHOOKS lists no endpoints, and no deliveries can be stored. */
  #webhookLoop(
    { webhooks, readDatabaseUrl }: SyncConfiguration,
    metrics: Metrics,
    { replaced }: Extended<WorkerAdditions>,
  ): WebhookLoop | null {
    // Deliveries are stored beside the generations, and fenced by the leader's epoch.
    const other = [SESSION.readModelWriter, SESSION.leadership].find((port) => replaced.has(port));
    const areStored = other === undefined && readDatabaseUrl !== null;
    if (!areStored && webhooks.length === 0) return null;
    if (!areStored)
      throw new ConfigurationError([
        `WEBHOOKS needs the read tables of READ_DATABASE_URL${other === undefined ? '' : `, but extension ${replaced.get(other)} replaces ${nameOfPort(other)}`}`,
      ]);
    const open = () => openWebhookSession(webhooks, readDatabaseUrl, metrics, this.log);
    return new WebhookLoop(open, () => this.loop.epoch, this.log);
  }
}

/** For an operator who reads or instructs a worker. It does not lead. */
export async function withSession(
  configuration: SyncConfiguration,
  extended: Extended<WorkerAdditions> | undefined,
  use: (session: SyncSession) => Promise<void>,
): Promise<void> {
  const settings = { ...configuration, logPretty: false };
  const program = new SyncProgram(settings, new PrometheusMetrics(), process.stderr, extended);
  try {
    await program.withSession(use);
  } finally {
    await program.stop();
  }
}

/** For an operator who moved, restored or upgraded the dashboard's database. */
export function acceptPresentDashboard(
  configuration: SyncConfiguration,
  print: (text: string) => void,
  extended?: Extended<WorkerAdditions>,
): Promise<void> {
  return withSession(configuration, extended, async (session) => {
    await session.requireTables();
    const { dashboard, ports } = session;
    if (dashboard === null) throw new Error('Extensions replace the dashboard: there is nothing to accept.');
    await acceptDashboard(dashboard, ports.syncNotes);
    print('Confirmed: the worker reads everything again from the dashboard of WRITE_DATABASE_URL.');
  });
}
