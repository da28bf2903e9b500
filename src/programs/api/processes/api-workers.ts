import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { countersOf, mergedMetrics } from '../../../adapters/operations/merged-metrics.js';
import type { Scraped } from '../../../adapters/operations/operations-server.js';
import type { PrometheusMetrics, ReportedMetrics } from '../../../adapters/operations/prometheus-metrics.js';
import { type Check, type CheckResult, Degraded } from '../../../adapters/operations/readiness.js';
import { MAX_CONNECTIONS } from '../../../adapters/postgres/connection/read-database.js';
import { withTimeLimit } from '../../../adapters/system/with-time-limit.js';
import { namesOfReplaced, type Replaced } from '../../../composition/extensions/extend.js';
import { openLog } from '../../../composition/open-log.js';
import type { ApiConfiguration, Operated } from '../../../composition/settings/configuration.js';
import type { Log } from '../../../domain/ports/log.js';
import type { OperatedProgram } from '../../program.js';
import { API_DOCUMENTS } from '../api-documents.js';
import { MIN_RETIREMENT_MS, REPORT_EVERY_MS, type WorkerReport } from './api-worker.js';
import { StartFailure } from './start-failure.js';

/** Reports that a worker may miss: then it does not answer, and then it is killed. */
const MISSED_IF_SILENT = 3;
const MISSED_IF_HUNG = 10;
/** A worker that starts has not reported yet. */
const STARTS_WITHIN_MS = 60_000;
/** The time to finish requests, and less than the supervisor of the program waits. */
const ENDS_WITHIN_MS = 14_000;
/** Its last report may arrive after the news of its end. */
const LAST_REPORT_WITHIN_MS = 1_000;
/** A worker that ran this long was not broken from its start. */
const STABLE_AFTER_MS = 10_000;
const MIN_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;

interface Member {
  readonly worker: Worker;
  readonly startedAt: number;
  /** Null until it has started. */
  report: WorkerReport | null;
  missed: number;
  /** Whether another one has to take its place when it ends. */
  isNeeded: boolean;
  /** Rejects if it ends before its first report. */
  readonly reported: Promise<void>;
  readonly ended: Promise<string>;
}

/** Workers of the API that share one port, as one program. The first process starts them and serves no requests. */
export class ApiWorkers implements OperatedProgram {
  readonly documents = API_DOCUMENTS;
  readonly api = null;
  readonly log: Log;
  readonly replaced: Readonly<Record<string, string>>;
  readonly scraped: Scraped;
  readonly #members = new Set<Member>();
  readonly #drainMs: number;
  #countedByEnded: ReportedMetrics = [];
  #watch: NodeJS.Timeout | null = null;
  #isStopping = false;
  #isRestarting = false;
  #isRestartWanted = false;
  /** Consecutive workers that ended early. */
  #failures = 0;

  constructor(
    private readonly count: number,
    settings: ApiConfiguration & Operated,
    private readonly metrics: PrometheusMetrics,
    replaced: Replaced,
  ) {
    this.log = openLog({ ...settings, isLogShared: true }, metrics);
    this.replaced = namesOfReplaced(replaced);
    this.#drainMs = settings.operations.drainMs;
    metrics.watch(['processes'], () => ({ processes: this.#answering.length }));
    this.scraped = {
      contentType: metrics.contentType,
      text: async () => {
        const reported = [...this.#members].map(({ report }) => report?.metrics ?? []);
        return mergedMetrics([await metrics.reported(), this.#countedByEnded, ...reported]);
      },
    };
  }

  /** One worker first: if it cannot start, the others cannot either, and the error is reported once. */
  async start(): Promise<void> {
    const mostDatabaseConnections = this.count * MAX_CONNECTIONS;
    this.log.info('API processes start', { processes: this.count, mostDatabaseConnections });
    this.#watch = setInterval(() => this.#killHung(), REPORT_EVERY_MS);
    const first = this.#fork();
    await first.reported;
    if (this.#isStopping) return;
    const others = Array.from({ length: this.count - 1 }, () => this.#fork());
    await Promise.all(others.map(({ reported }) => reported));
    for (const member of [first, ...others]) this.#keep(member);
  }

  giveUpStart(): void {
    this.#terminate();
    void this.#allEnded();
  }

  /** The worst result of all workers for each check, because any of them may receive the next request. */
  checks(): readonly Check[] {
    const answering = this.#answering.map(({ report }) => report?.readiness.checks ?? {});
    const names = new Set(answering.flatMap((checks) => Object.keys(checks)));
    const ofEach = [...names].map((name) => ({
      name,
      run: async () => requireHealthy(answering.flatMap((checks) => checks[name] ?? [])),
    }));
    const run = async () => {
      if (answering.length === 0) throw new Error('no process responds');
      if (answering.length < this.count)
        throw new Degraded(`${answering.length} of ${this.count} processes answer`);
    };
    return [{ name: 'processes', run }, ...ofEach];
  }

  /** Each worker drains for as long as this program does. */
  drain(): void {
    this.#terminate();
  }

  async stop(): Promise<void> {
    this.#terminate();
    await this.#allEnded();
    if (this.#watch !== null) clearInterval(this.#watch);
  }

  /** Replaces the workers one by one. A request meanwhile causes another restart afterwards. */
  async restart(): Promise<void> {
    this.#isRestartWanted = true;
    if (this.#isRestarting) return;
    this.#isRestarting = true;
    while (this.#isRestartWanted) {
      this.#isRestartWanted = false;
      await this.#replaceAll().catch((error: unknown) => this.#restartFailed(error));
    }
    this.#isRestarting = false;
  }

  async #replaceAll(): Promise<void> {
    this.log.info('rolling restart begins');
    for (const old of this.#needed) {
      const next = this.#fork();
      try {
        await withTimeLimit(STARTS_WITHIN_MS, this.#isReady(next));
      } catch (error) {
        next.worker.process.kill('SIGKILL');
        throw error;
      }
      if (this.#isStopping) return;
      old.isNeeded = false;
      // If the old one ended by itself, another may have its place.
      if (this.#needed.length < this.count) this.#keep(next);
      else next.worker.process.kill('SIGTERM');
      old.worker.send('retire', () => {});
      await this.#endOf(old, Math.max(this.#drainMs, MIN_RETIREMENT_MS) + ENDS_WITHIN_MS);
    }
    const pids = [...this.#members].map(({ worker }) => worker.process.pid);
    this.log.info('rolling restart has ended', { pids });
  }

  #restartFailed(error: unknown): void {
    if (this.#isStopping) return;
    this.metrics.count('restart-failed');
    const reason = error instanceof Error ? error.message : String(error);
    this.log.error('rolling restart canceled: the old processes continue', { reason });
  }

  async #isReady(member: Member): Promise<void> {
    await member.reported;
    while (member.report?.readiness.status !== 'ready' && member.report?.readiness.status !== 'degraded') {
      if (!this.#members.has(member)) throw new Error('the new process ended');
      await pause(REPORT_EVERY_MS);
    }
  }

  get #needed(): readonly Member[] {
    return [...this.#members].filter(({ isNeeded }) => isNeeded);
  }

  get #answering(): readonly Member[] {
    return [...this.#members].filter(({ report, missed }) => report !== null && missed < MISSED_IF_SILENT);
  }

  #fork(): Member {
    const worker = cluster.fork();
    const ended = endOf(worker);
    const reported = new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve());
      void ended.then(({ exitCode, reason }) =>
        reject(
          exitCode === null
            ? new Error(`An API process did not start: ${reason}.`)
            : new StartFailure(exitCode || 1),
        ),
      );
    });
    // Callers that await it still get the error.
    reported.catch(() => {});
    const member: Member = {
      worker,
      startedAt: performance.now(),
      report: null,
      missed: 0,
      isNeeded: false,
      reported,
      ended: ended.then(({ reason }) => reason),
    };
    worker.on('message', (report: WorkerReport) => {
      member.report = report;
      member.missed = 0;
    });
    this.#members.add(member);
    void ended.then(() => {
      this.#members.delete(member);
      this.#countedByEnded = countersOf([this.#countedByEnded, member.report?.metrics ?? []]);
    });
    return member;
  }

  /** Another worker takes its place when it ends. */
  #keep(member: Member): void {
    member.isNeeded = true;
    void member.ended.then(async (ending) => {
      if (this.#isStopping || !member.isNeeded) return;
      this.metrics.count('process-lost');
      const isEarly = performance.now() - member.startedAt < STABLE_AFTER_MS;
      this.#failures = isEarly ? this.#failures + 1 : 0;
      const inMs = isEarly ? Math.min(MIN_PAUSE_MS * 2 ** (this.#failures - 1), MAX_PAUSE_MS) : 0;
      const ofPid = member.worker.process.pid;
      this.log.error('an API process ended and is replaced', { ofPid, ending, inMs });
      await pause(inMs);
      if (!this.#isStopping && this.#needed.length < this.count) this.#keep(this.#fork());
    });
  }

  /** Counts what is missed, not the time: this process may have stood still itself. */
  #killHung(): void {
    for (const member of this.#members) {
      member.missed++;
      const mayMiss = member.report === null ? STARTS_WITHIN_MS / REPORT_EVERY_MS : MISSED_IF_HUNG;
      if (member.missed > mayMiss) this.#kill(member);
    }
  }

  #kill({ worker }: Member): void {
    this.log.error('an API process does not answer and is killed', { ofPid: worker.process.pid });
    worker.process.kill('SIGKILL');
  }

  #terminate(): void {
    this.#isStopping = true;
    for (const { worker } of this.#members) worker.process.kill('SIGTERM');
  }

  async #allEnded(): Promise<void> {
    await Promise.all([...this.#members].map((member) => this.#endOf(member, ENDS_WITHIN_MS)));
  }

  async #endOf(member: Member, withinMs: number): Promise<void> {
    await withTimeLimit(withinMs, member.ended).catch(() => this.#kill(member));
    await member.ended;
  }
}

interface Ending {
  /** Null: it was killed, or never started. */
  readonly exitCode: number | null;
  readonly reason: string;
}

/** Resolves after its last report. Node may emit no `disconnect`, so the wait for it is limited. */
function endOf(worker: Worker): Promise<Ending> {
  return new Promise((resolve) => {
    const silent = new Promise<void>((isSilent) => worker.once('disconnect', () => isSilent()));
    worker.once('exit', async (code: number, signal: string | null) => {
      await Promise.race([silent, pause(LAST_REPORT_WITHIN_MS)]);
      if (signal === null) resolve({ exitCode: code, reason: `exit code ${code}` });
      else resolve({ exitCode: null, reason: `it was ended by ${signal}` });
    });
    worker.on('error', (error: Error) => {
      if (worker.process.pid === undefined) resolve({ exitCode: null, reason: error.message });
    });
  });
}

function requireHealthy(results: readonly CheckResult[]): void {
  for (const status of ['failed', 'degraded'] as const) {
    const affected = results.filter((result) => result.status === status);
    const [first] = affected;
    if (first === undefined) continue;
    const where =
      affected.length === results.length ? '' : `in ${affected.length} of ${results.length} processes: `;
    const reason = `${where}${first.reason}`;
    throw status === 'degraded' ? new Degraded(reason) : new Error(reason);
  }
}
