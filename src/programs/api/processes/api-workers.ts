import { setTimeout as pause } from 'node:timers/promises';
import { countersOf, mergedMetrics } from '../../../adapters/operations/merged-metrics.js';
import type { Scraped } from '../../../adapters/operations/operations-server.js';
import type { PrometheusMetrics, ReportedMetrics } from '../../../adapters/operations/prometheus-metrics.js';
import { openLog } from '../../../adapters/system/pino-log.js';
import { withTimeLimit } from '../../../adapters/system/with-time-limit.js';
import { configuredApi } from '../../../composition/extensions/configured.js';
import { namesOfReplaced } from '../../../composition/extensions/extend.js';
import { ConfigurationError, type Environment } from '../../../composition/settings/read-settings.js';
import { API_PORTS } from '../../../composition/tokens.js';
import type { Examined, Finding } from '../../../domain/model/finding.js';
import type { Log } from '../../../domain/ports/system/log.js';
import { checkBy, examineAtOnce, failure, needed, ok, warning } from '../../admin/examine.js';
import { OperationsProgram } from '../../admin/operations-program.js';
import type { OperatedProgram } from '../../program.js';
import { API_DOCUMENTS } from '../api-documents.js';
import { REPORT_EVERY_MS, type WorkerReport } from './api-worker.js';
import { READY_WITHIN_MS, WorkerProcess } from './worker-process.js';

const MIN_PAUSE_MS = 250;
/** A worker that ran this long was not broken from its start. */
const MAX_PAUSE_MS = 30_000;
const STARTED = ['ready', 'degraded', 'not ready'] as const;
const LOG = 'see the log: a process that has ended is replaced';

/** The API in several processes, with one operators' port. Throws a ConfigurationError. */
export async function apiInProcesses(count: number, environment: Environment): Promise<OperationsProgram> {
  const { settings, extended } = await configuredApi(environment, process.cwd());
  const problems = [...extended.wrongSettings];
  if (count > 1 && settings.redisUrls === null && !extended.replaced.has(API_PORTS.requestLog))
    problems.push(
      `REDIS_URL is missing: each of ${count} processes would apply the limit of every key separately. Set it, or omit --processes`,
    );
  if (problems.length > 0) throw new ConfigurationError(problems);
  const log = openLog({ ...settings, isLogShared: true });
  const replaced = namesOfReplaced(extended.replaced);
  return new OperationsProgram(settings, (metrics) => new ApiWorkers(count, log, metrics, replaced));
}

/** API workers that share one port. The first process starts them and serves nothing. */
class ApiWorkers implements OperatedProgram {
  readonly documents = API_DOCUMENTS;
  readonly #workers = new Set<WorkerProcess>();
  readonly #watch = setInterval(() => this.#killHung(), REPORT_EVERY_MS);
  #countedByEnded: ReportedMetrics = [];
  #isStopping = false;
  /** The pause before the next worker that replaces a lost one. */
  #pauseMs = 0;

  constructor(
    private readonly count: number,
    readonly log: Log,
    private readonly metrics: PrometheusMetrics,
    readonly replaced: Readonly<Record<string, string>>,
  ) {
    metrics.watch(['processes'], () => ({ processes: this.#reports.length }));
  }

  get scraped(): Scraped {
    const text = async () => {
      const ofWorkers = this.#reports.map((report) => report.metrics);
      return mergedMetrics([await this.metrics.reported(), this.#countedByEnded, ...ofWorkers]);
    };
    return { contentType: this.metrics.contentType, text };
  }

  /** A signal to end makes it fail; one to restart waits until the first worker has started. */
  async start(): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.drain());
    this.log.info('API processes start', { processes: this.count });
    // One worker first: if it cannot start, neither can the workers.
    const first = this.#fork(false);
    let restarted = first.reports(...STARTED);
    process.on('SIGHUP', () => {
      restarted = restarted
        .then(() => this.#replaceAll())
        .catch(({ message }: Error) => {
          if (!this.#isStopping) this.log.error('rolling restart canceled', { reason: message });
        });
    });
    await restarted;
    first.isNeeded = true;
    const workers = Array.from({ length: this.#isStopping ? 0 : this.count - 1 }, () => this.#fork(true));
    await Promise.allSettled(workers.map((worker) => worker.reports(...STARTED)));
  }

  /** The findings of all workers, because any of them may get the next request. */
  async examine(): Promise<readonly Examined[]> {
    const reports = this.#reports;
    const processes = needed(checkBy('processes', async () => this.#processes(reports.length)));
    return [...(await examineAtOnce([processes])), ...reports.flatMap(({ findings }) => findings)];
  }

  #processes(answering: number): Finding {
    if (answering === 0) return failure('no process responds', LOG, 'none');
    if (answering === this.count) return ok('all answer');
    return warning(`${answering} of ${this.count} processes answer`, LOG, 'some');
  }

  drain(): void {
    this.#isStopping = true;
    for (const worker of this.#workers) worker.end();
  }

  async stop(): Promise<void> {
    this.drain();
    await Promise.all([...this.#workers].map(({ ended }) => ended));
    clearInterval(this.#watch);
  }

  /** One by one: each new one is ready before an old one ends. */
  async #replaceAll(): Promise<void> {
    this.log.info('rolling restart begins');
    for (const old of [...this.#workers]) {
      if (this.#isStopping) return;
      const next = this.#fork(false);
      await withTimeLimit(READY_WITHIN_MS, next.reports('ready', 'degraded')).catch((error) => {
        next.end();
        throw error;
      });
      next.isNeeded = true;
      // An old one that has ended by itself is replaced already.
      const surplus = this.#workers.has(old) ? old : next;
      surplus.end();
      await surplus.ended;
    }
    this.log.info('rolling restart has ended');
  }

  get #reports(): readonly WorkerReport[] {
    return [...this.#workers].flatMap(({ report }) => report ?? []);
  }

  #fork(isNeeded: boolean): WorkerProcess {
    const worker = new WorkerProcess(isNeeded);
    this.#workers.add(worker);
    void worker.ended.then((ending) => {
      this.#workers.delete(worker);
      this.#countedByEnded = countersOf([this.#countedByEnded, worker.report?.metrics ?? []]);
      if (worker.isNeeded) void this.#replaceLost(worker, ending.message);
    });
    return worker;
  }

  async #replaceLost({ process: { pid }, startedAt }: WorkerProcess, ending: string): Promise<void> {
    this.metrics.count('process-lost');
    const isEarly = performance.now() - startedAt < MAX_PAUSE_MS;
    this.#pauseMs = isEarly ? Math.min(this.#pauseMs * 2 || MIN_PAUSE_MS, MAX_PAUSE_MS) : 0;
    this.log.error('an API process ended and is replaced', { ofPid: pid, ending, inMs: this.#pauseMs });
    await pause(this.#pauseMs);
    if (!this.#isStopping) this.#fork(true);
  }

  #killHung(): void {
    for (const worker of this.#workers) {
      if (!worker.missesTooMany()) continue;
      this.log.error('an API process does not answer and is killed', { ofPid: worker.process.pid });
      worker.process.kill('SIGKILL');
    }
  }
}
