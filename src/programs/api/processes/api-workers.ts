import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { countersOf, mergedMetrics } from '../../../adapters/operations/merged-metrics.js';
import type { Scraped } from '../../../adapters/operations/operations-server.js';
import type { PrometheusMetrics, ReportedMetrics } from '../../../adapters/operations/prometheus-metrics.js';
import { type Check, type CheckResult, Degraded } from '../../../adapters/operations/readiness.js';
import { openLog } from '../../../adapters/system/pino-log.js';
import { withTimeLimit } from '../../../adapters/system/with-time-limit.js';
import { configuredApi } from '../../../composition/extensions/configured.js';
import { namesOfReplaced, type Replaced } from '../../../composition/extensions/extend.js';
import type { ApiConfiguration, Operated } from '../../../composition/settings/configuration.js';
import { ConfigurationError, type Environment } from '../../../composition/settings/read-settings.js';
import { TOKENS } from '../../../composition/tokens.js';
import type { Log } from '../../../domain/ports/system/log.js';
import { OperationsProgram } from '../../admin/operations-program.js';
import { type OperatedProgram, StartFailure } from '../../program.js';
import { API_DOCUMENTS } from '../api-documents.js';
import { hasStarted, isReady, REPORT_EVERY_MS, type WorkerReport } from './api-worker.js';

const STARTS_WITHIN_MS = 60_000;
/** After draining, and less than the supervisor of the program waits. */
const ENDS_WITHIN_MS = 14_000;
/** Reports that a worker may miss: then it does not answer. */
const MISSED_IF_SILENT = 3;
const MISSED_IF_HUNG = 10;
/** A worker that ran this long was not broken from its start. */
const STABLE_AFTER_MS = 10_000;
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;

/** The API in several processes, with one operators' port. Throws a ConfigurationError. */
export async function apiInProcesses(count: number, environment: Environment): Promise<OperationsProgram> {
  const { settings, extended } = await configuredApi(environment, process.cwd());
  if (count > 1 && settings.redisUrls === null && !extended.replaced.has(TOKENS.requestLog)) {
    throw new ConfigurationError([
      `REDIS_URL is missing: each of ${count} processes would apply the limit of every key separately. Set it, or omit --processes`,
    ]);
  }
  return new OperationsProgram(
    settings,
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
  #countedByEnded: ReportedMetrics = [];
  #watch: NodeJS.Timeout | null = null;
  #isStopping = false;
  /** Consecutive workers that ended early. */
  #failures = 0;

  constructor(
    private readonly count: number,
    private readonly settings: ApiConfiguration & Operated,
    private readonly metrics: PrometheusMetrics,
    replaced: Replaced,
  ) {
    this.log = openLog({ ...settings, isLogShared: true });
    this.replaced = namesOfReplaced(replaced);
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
    await this.#fork(false).reports(hasStarted);
    if (this.#isStopping) return;
    const laterWorkers = Array.from({ length: this.count - 1 }, () => this.#fork(false));
    await Promise.all(laterWorkers.map((worker) => worker.reports(hasStarted)));
    for (const worker of this.#workers) worker.isNeeded = true;
    // One may have ended meanwhile.
    while (!this.#isStopping && this.#workers.size < this.count) this.#fork(true);
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

  drain(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    for (const worker of this.#workers) this.#end(worker);
  }

  /** One whose start hangs still reports. */
  #end(worker: WorkerProcess): void {
    worker.end('SIGTERM');
    setTimeout(() => worker.end('SIGKILL'), this.settings.drainMs + ENDS_WITHIN_MS).unref();
  }

  async stop(): Promise<void> {
    this.drain();
    await Promise.all([...this.#workers].map(({ ended }) => ended));
    if (this.#watch !== null) clearInterval(this.#watch);
  }

  /** One by one: each new one is ready before an old one ends. */
  async #replaceAll(): Promise<void> {
    this.log.info('rolling restart begins');
    for (const old of [...this.#workers]) {
      if (this.#isStopping) return;
      const next = this.#fork(false);
      try {
        await withTimeLimit(STARTS_WITHIN_MS, next.reports(isReady));
      } catch (error) {
        next.end('SIGKILL');
        const reason = error instanceof Error ? error.message : String(error);
        if (!this.#isStopping)
          this.log.error('rolling restart canceled: the old processes continue', { reason });
        return;
      }
      // An old one that has ended by itself is replaced already.
      next.isNeeded = this.#workers.has(old);
      old.isNeeded = false;
      const surplus = next.isNeeded ? old : next;
      this.#end(surplus);
      await surplus.ended;
    }
    this.log.info('rolling restart has ended', { pids: [...this.#workers].map(({ pid }) => pid) });
  }

  get #answering(): readonly WorkerProcess[] {
    return [...this.#workers].filter(({ isAnswering }) => isAnswering);
  }

  #fork(isNeeded: boolean): WorkerProcess {
    const worker = new WorkerProcess(isNeeded);
    this.#workers.add(worker);
    void worker.ended.then((ending) => {
      this.#workers.delete(worker);
      this.#countedByEnded = countersOf([this.#countedByEnded, worker.report?.metrics ?? []]);
      if (worker.isNeeded && !this.#isStopping) void this.#replaceLost(worker, ending);
    });
    return worker;
  }

  async #replaceLost(worker: WorkerProcess, { message }: Error): Promise<void> {
    this.metrics.count('process-lost');
    const isEarly = performance.now() - worker.startedAt < STABLE_AFTER_MS;
    this.#failures = isEarly ? this.#failures + 1 : 0;
    const inMs = isEarly ? Math.min(MIN_PAUSE_MS * 2 ** (this.#failures - 1), MAX_PAUSE_MS) : 0;
    this.log.error('an API process ended and is replaced', { ofPid: worker.pid, ending: message, inMs });
    await pause(inMs);
    if (!this.#isStopping) this.#fork(true);
  }

  #killHung(): void {
    for (const worker of this.#workers) {
      if (++worker.missedReports <= MISSED_IF_HUNG) continue;
      this.log.error('an API process does not answer and is killed', { ofPid: worker.pid });
      worker.end('SIGKILL');
    }
  }
}

/** A worker as the first process sees it. */
class WorkerProcess {
  readonly startedAt = performance.now();
  /** Resolves with how it ended. */
  readonly ended: Promise<Error>;
  report: WorkerReport | null = null;
  /** Counted, because this process may have stood still itself. */
  missedReports = 0;
  readonly #worker = cluster.fork();

  /** `isNeeded`: another one has to take its place when it ends. */
  constructor(public isNeeded: boolean) {
    this.#worker.on('message', (report: WorkerReport) => {
      this.report = report;
      this.missedReports = 0;
    });
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', (code: number, signal: string | null) =>
        resolve(
          signal === null ? new StartFailure(code || 1) : new Error(`an API process was ended by ${signal}`),
        ),
      );
      this.#worker.on('error', (error) => this.pid === undefined && resolve(error));
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  get isAnswering(): boolean {
    return hasStarted(this.report) && this.missedReports < MISSED_IF_SILENT;
  }

  /** Resolves when it sends such a report. Rejects if it ends before. */
  reports(isExpected: (report: WorkerReport) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.on('message', (report: WorkerReport) => isExpected(report) && resolve());
      void this.ended.then(reject);
    });
  }

  end(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#worker.process.kill(signal);
  }
}

/** Throws for the worst of the results. */
function requireHealthy(results: readonly CheckResult[]): void {
  const problemOf = (wanted: CheckResult['status']) => results.find(({ status }) => status === wanted);
  const [failure, degradation] = [problemOf('failed'), problemOf('degraded')];
  if (failure !== undefined) throw new Error(failure.reason);
  if (degradation !== undefined) throw new Degraded(degradation.reason ?? '');
}
