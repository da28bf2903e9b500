import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import { type Check, Degraded } from '../../adapters/operations/readiness.js';
import { PostgresSyncNotes } from '../../adapters/postgres/postgres-sync-notes.js';
import { countRowsSetAside, newestGeneration, workState } from '../../adapters/postgres/sync-state.js';
import { connectRedis } from '../../adapters/redis/connect-redis.js';
import { RedisGuard } from '../../adapters/redis/redis-guard.js';
import { PinoLog } from '../../adapters/system/pino-log.js';
import type { Log } from '../../domain/ports/log.js';
import { StepSize } from '../../domain/sync/step-size.js';
import { migrationsCheck, redisCheck } from '../checks.js';
import type { SyncConfiguration } from '../configuration.js';
import type { DashboardConnection } from '../dashboards/dashboard-engine.js';
import { dashboardOf } from '../dashboards/dashboard-of.js';
import type { OperatedProgram } from '../programs/program.js';
import { type LastWritten, requireKnownDashboard } from './known-databases.js';
import { type DatabaseLookout, Lookout, lookoutOn } from './lookout.js';
import { SyncLoop } from './sync-loop.js';
import { openSyncSession } from './sync-session.js';

/** The sync worker: goes on until it is stopped, whatever fails meanwhile. */
export class SyncProgram implements OperatedProgram {
  readonly documents = {};
  readonly api = null;
  readonly replaced = {};
  readonly log: Log;
  readonly loop: SyncLoop;
  readonly #redis: RedisGuard | null;
  readonly #dashboard: Lookout<DashboardConnection>;
  readonly #readTables: DatabaseLookout;

  constructor(
    { readDatabaseUrl, redisUrls, pollMs, logLevel, logPretty, ...settings }: SyncConfiguration,
    metrics: PrometheusMetrics,
    logTo: NodeJS.WriteStream = process.stdout,
  ) {
    this.log = new PinoLog(logLevel, logPretty ?? logTo.isTTY === true, logTo);
    this.#redis = redisUrls === null ? null : new RedisGuard(connectRedis(redisUrls), this.log, metrics);
    // Each session tells, before it publishes anything.
    this.#redis?.nameAfter(null);
    const databases = { engine: dashboardOf(settings), readDatabaseUrl };
    // What the sessions of a worker know of each other.
    const lastWritten: LastWritten = { identity: null };
    const size = new StepSize();
    const open = () => openSyncSession(databases, this.#redis, metrics, this.log, lastWritten, size);
    this.loop = new SyncLoop(open, pollMs, metrics, this.log);
    this.#dashboard = new Lookout((name) => {
      const connection = databases.engine.connect(name);
      return { asked: connection, close: () => connection.close() };
    });
    this.#readTables = lookoutOn(readDatabaseUrl);
    this.#watch(metrics);
  }

  async start(): Promise<void> {
    await this.#redis?.connected();
    this.loop.start();
  }

  checks(): readonly Check[] {
    return [
      {
        name: 'dashboard',
        run: () =>
          this.#dashboard.ask(async (dashboard) => {
            await dashboard.requireTables();
            await dashboard.requireCapture();
            await this.#readTables.ask((readTables) =>
              requireKnownDashboard(dashboard, new PostgresSyncNotes(readTables)),
            );
          }),
      },
      {
        name: 'changeCapture',
        run: async () => {
          const { broken } = await this.#dashboard.ask((dashboard) => dashboard.captureState());
          if (broken.length > 0)
            throw new Degraded(`changes are missed until \`npm run migrate\` mends it: ${broken.join('; ')}`);
        },
      },
      migrationsCheck('readTables', (question) => this.#readTables.ask(question)),
      ...(this.#redis === null ? [] : [redisCheck(this.#redis)]),
    ];
  }

  /** Nobody calls it. */
  drain(): void {}

  async stop(): Promise<void> {
    await this.loop.stop();
    await Promise.all([this.#redis?.close(), this.#dashboard.close(), this.#readTables.close()]);
  }

  #watch(metrics: PrometheusMetrics): void {
    metrics.watch(['syncLeads'], () => ({ syncLeads: Number(this.loop.leads) }));
    metrics.watch(['syncLag', 'syncQueue'], async () => {
      const { length, lagMs } = await this.#dashboard.ask((dashboard) => dashboard.queue());
      return { syncLag: (lagMs ?? 0) / 1000, syncQueue: length };
    });
    metrics.watch(['syncCaptureBroken'], async () => ({
      syncCaptureBroken: (await this.#dashboard.ask((dashboard) => dashboard.captureState())).broken.length,
    }));
    metrics.watch(['syncSetAside'], async () => ({
      syncSetAside: await this.#readTables.ask(countRowsSetAside),
    }));
    metrics.watch(['syncOldestWork', 'syncFailingWork'], async () => {
      const { oldestMs, failing } = await this.#readTables.ask(workState);
      return { syncOldestWork: (oldestMs ?? 0) / 1000, syncFailingWork: failing };
    });
    metrics.watch(['generationAge'], async () => ({
      generationAge: Math.max(0, Date.now() / 1000 - (await this.#readTables.ask(newestGeneration)) / 1e6),
    }));
    const redis = this.#redis;
    if (redis !== null) metrics.watch(['redisAway'], () => ({ redisAway: Number(redis.isAway) }));
  }
}
