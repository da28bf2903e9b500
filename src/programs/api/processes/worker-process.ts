import cluster from 'node:cluster';
import { StartFailure } from '../../program.js';
import type { WorkerReport } from './api-worker.js';

/** The time to finish requests, and less than the supervisor of the program waits. */
const ENDS_WITHIN_MS = 14_000;
/** Reports that a worker may miss: then it does not answer. */
const MISSED_IF_SILENT = 3;

/** A worker of the API as the first process sees it. */
export class WorkerProcess {
  readonly startedAt = performance.now();
  /** Resolves with the reason, and with the error of a start that it ended. */
  readonly ended: Promise<{ readonly reason: string; readonly failure: Error }>;
  /** Whether another one has to take its place when it ends. */
  isNeeded = false;
  report: WorkerReport | null = null;
  /** Counted, because this process may have stood still itself. */
  missedReports = 0;
  readonly #worker = cluster.fork();

  constructor() {
    this.#worker.on('message', (report: WorkerReport) => {
      this.report = report;
      this.missedReports = 0;
    });
    this.ended = new Promise((resolve) => {
      const endedBy = (reason: string, failure = new Error(`An API process did not start: ${reason}.`)) =>
        resolve({ reason, failure });
      this.#worker.once('exit', (code: number, signal: string | null) =>
        signal === null
          ? endedBy(`exit code ${code}`, new StartFailure(code || 1))
          : endedBy(`it was ended by ${signal}`),
      );
      this.#worker.on('error', ({ message }: Error) => {
        if (this.pid === undefined) endedBy(message);
      });
    });
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  get isAnswering(): boolean {
    return hasStarted(this.report) && this.missedReports < MISSED_IF_SILENT;
  }

  /** Resolves when it sends such a report. Rejects if it ends before. */
  reports(isExpected: (report: WorkerReport) => boolean = hasStarted): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.on('message', (report: WorkerReport) => isExpected(report) && resolve());
      void this.ended.then(({ failure }) => reject(failure));
    });
  }

  /** `retire`: after its clients had time to connect to another worker. */
  end(how: 'SIGTERM' | 'retire', drainMs: number): void {
    if (how === 'retire') this.#worker.send(how, () => {});
    else this.#worker.process.kill(how);
    setTimeout(() => this.kill(), drainMs + ENDS_WITHIN_MS).unref();
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }
}

function hasStarted(report: WorkerReport | null): boolean {
  return report !== null && report.readiness.status !== 'starting';
}
