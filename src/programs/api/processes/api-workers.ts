import { setTimeout as pause } from 'node:timers/promises';
import { countersOf, mergedMetrics } from '../../../adapters/operations/merged-metrics.js';
import type { Scraped } from '../../../adapters/operations/operations-server.js';
import type { PrometheusMetrics, ReportedMetrics } from '../../../adapters/operations/prometheus-metrics.js';
import { type Check, type CheckResult, Degraded } from '../../../adapters/operations/readiness.js';
import { withTimeLimit } from '../../../adapters/system/with-time-limit.js';
import { configuredApi } from '../../../composition/extensions/configured.js';
import { namesOfReplaced, type Replaced } from '../../../composition/extensions/extend.js';
import { openLog } from '../../../composition/open-log.js';
import type { ApiConfiguration, Operated } from '../../../composition/settings/configuration.js';
import { ConfigurationError, type Environment } from '../../../composition/settings/read-settings.js';
import { TOKENS } from '../../../composition/tokens.js';
import type { Log } from '../../../domain/ports/log.js';
import { OperationsProgram } from '../../admin/operations-program.js';
import type { OperatedProgram } from '../../program.js';
import { API_DOCUMENTS } from '../api-documents.js';
import { MIN_RETIREMENT_MS, REPORT_EVERY_MS, type WorkerReport } from './api-worker.js';
import { WorkerProcess } from './worker-process.js';

const STARTS_WITHIN_MS = 60_000;
const MISSED_IF_HUNG = 10;
/** A worker that ran this long was not broken from its start. */
const STABLE_AFTER_MS = 10_000;
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;

/**
 * The API in several processes with one operators' port. Reports invalid settings before any of
 * them starts.
 */
export async function apiInProcesses(count: number, environment: Environment): Promise<OperationsProgram> {
  const { settings, extended } = await configuredApi(environment, process.cwd());
  if (settings.redisUrls === null && !extended.replaced.has(TOKENS.requestLog)) {
    throw new ConfigurationError([
      `REDIS_URL is missing: each of ${count} processes would apply the limit of every key separately. Set it, or omit --processes`,
    ]);
  }
  return new OperationsProgram(
    settings.operations,
    (metrics) => new ApiWorkers(count, settings, metrics, extended.replaced),
  );
}

/** API workers that share one port. The first process starts them and serves nothing. */
class ApiWorkers implements OperatedProgram {
  readonly documents = API_DOCUMENTS;
  readonly address = null;
  readonly api = null;
  readonly log: Log;
  readonly replaced: Readonly<Record<string, string>>;
  readonly scraped: Scraped;
  readonly #workers = new Set<WorkerProcess>();
  readonly #drainMs: number;
  #countedByEnded: ReportedMetrics = [];
  #watch: NodeJS.Timeout | null = null;
  #isStopping = false;
  /** Consecutive workers that ended early. */
  #failures = 0;

  constructor(
    private readonly count: number,
    settings: ApiConfiguration & Operated,
    private readonly metrics: PrometheusMetrics,
    replaced: Replaced,
  ) {
    this.log = openLog({ ...settings, isLogShared: true });
    this.replaced = namesOfReplaced(replaced);
    this.#drainMs = settings.operations.drainMs;
    metrics.watch(['processes'], () => ({ processes: this.#answering.length }));
    this.scraped = {
      contentType: metrics.contentType,
      text: async () => {
        const reported = [...this.#workers].map(({ report }) => report?.metrics ?? []);
        return mergedMetrics([await metrics.reported(), this.#countedByEnded, ...reported]);
      },
    };
  }

  /** A signal to end makes it fail, and one to restart takes effect when it has succeeded. */
  async start(): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.drain());
    const started = this.#startAll();
    let restarted = started;
    process.on('SIGHUP', () => {
      restarted = restarted.then(() => this.#replaceAll()).catch(() => {});
    });
    await started;
  }

  /** One worker first: if it cannot start, neither can the others. */
  async #startAll(): Promise<void> {
    this.log.info('API processes start', { processes: this.count });
    this.#watch = setInterval(() => this.#killHung(), REPORT_EVERY_MS);
    const first = this.#fork();
    await first.reports();
    if (this.#isStopping) return;
    const laterWorkers = Array.from({ length: this.count - 1 }, () => this.#fork());
    await Promise.all(laterWorkers.map((worker) => worker.reports()));
    for (const worker of [first, ...laterWorkers]) this.#keep(worker);
  }

  /** The worst result of all workers, because any of them may get the next request. */
  checks(): readonly Check[] {
    const reports = this.#answering.map(({ report }) => report?.readiness.checks ?? {});
    const names = new Set(reports.flatMap((checks) => Object.keys(checks)));
    const ofEach = [...names].map((name) => ({
      name,
      run: async () => requireHealthy(reports.flatMap((checks) => checks[name] ?? [])),
    }));
    const run = async () => {
      if (reports.length === 0) throw new Error('no process responds');
      if (reports.length < this.count)
        throw new Degraded(`${reports.length} of ${this.count} processes answer`);
    };
    return [{ name: 'processes', run }, ...ofEach];
  }

  /** Each worker drains for as long as this program does. */
  drain(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    for (const worker of this.#workers) worker.end('SIGTERM', this.#drainMs);
  }

  async stop(): Promise<void> {
    this.drain();
    await Promise.all([...this.#workers].map(({ ended }) => ended));
    if (this.#watch !== null) clearInterval(this.#watch);
  }

  async #replaceAll(): Promise<void> {
    this.log.info('rolling restart begins');
    try {
      for (const old of this.#needed) await this.#replace(old);
    } catch (error) {
      if (this.#isStopping) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.log.error('rolling restart canceled: the old processes continue', { reason });
      return;
    }
    this.log.info('rolling restart has ended', { pids: [...this.#workers].map(({ pid }) => pid) });
  }

  async #replace(old: WorkerProcess): Promise<void> {
    if (this.#isStopping) return;
    const next = this.#fork();
    try {
      await withTimeLimit(STARTS_WITHIN_MS, next.reports(isReady));
    } catch (error) {
      next.kill();
      throw error;
    }
    if (this.#isStopping) return;
    old.isNeeded = false;
    // If the old one ended by itself, another may have its place.
    if (this.#needed.length < this.count) this.#keep(next);
    else next.end('SIGTERM', this.#drainMs);
    old.end('retire', Math.max(this.#drainMs, MIN_RETIREMENT_MS));
    await old.ended;
  }

  get #needed(): readonly WorkerProcess[] {
    return [...this.#workers].filter(({ isNeeded }) => isNeeded);
  }

  get #answering(): readonly WorkerProcess[] {
    return [...this.#workers].filter(({ isAnswering }) => isAnswering);
  }

  #fork(): WorkerProcess {
    const worker = new WorkerProcess();
    this.#workers.add(worker);
    void worker.ended.then(() => {
      this.#workers.delete(worker);
      this.#countedByEnded = countersOf([this.#countedByEnded, worker.report?.metrics ?? []]);
    });
    return worker;
  }

  /** Another worker takes its place when it ends. */
  #keep(worker: WorkerProcess): void {
    worker.isNeeded = true;
    void worker.ended.then(async ({ reason }) => {
      if (this.#isStopping || !worker.isNeeded) return;
      this.metrics.count('process-lost');
      const isEarly = performance.now() - worker.startedAt < STABLE_AFTER_MS;
      this.#failures = isEarly ? this.#failures + 1 : 0;
      const inMs = isEarly ? Math.min(MIN_PAUSE_MS * 2 ** (this.#failures - 1), MAX_PAUSE_MS) : 0;
      this.log.error('an API process ended and is replaced', { ofPid: worker.pid, ending: reason, inMs });
      await pause(inMs);
      if (!this.#isStopping && this.#needed.length < this.count) this.#keep(this.#fork());
    });
  }

  #killHung(): void {
    for (const worker of this.#workers) {
      if (++worker.missedReports <= MISSED_IF_HUNG) continue;
      this.log.error('an API process does not answer and is killed', { ofPid: worker.pid });
      worker.kill();
    }
  }
}

function isReady({ readiness }: WorkerReport): boolean {
  return readiness.status === 'ready' || readiness.status === 'degraded';
}

/** Throws for the worst of the results. */
function requireHealthy(results: readonly CheckResult[]): void {
  const reasonOf = (wanted: CheckResult['status']) => results.find(({ status }) => status === wanted)?.reason;
  const failure = reasonOf('failed');
  if (failure !== undefined) throw new Error(failure);
  const degradation = reasonOf('degraded');
  if (degradation !== undefined) throw new Degraded(degradation);
}
