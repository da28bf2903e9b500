import cluster from 'node:cluster';
import { StartFailure } from '../../program.js';
import { REPORT_EVERY_MS, type WorkerReport } from './api-worker.js';

export const READY_WITHIN_MS = 60_000;
const MISSED_REPORTS = 10;

/** A worker as the first process sees it. */
export class WorkerProcess {
  readonly startedAt = performance.now();
  readonly #worker = cluster.fork();
  readonly process = this.#worker.process;
  /** Resolves with how it ended. */
  readonly ended = new Promise<Error>((resolve) => {
    this.#worker.on('error', resolve).once('exit', (code: number, signal: string | null) => {
      const killed = new Error(`an API process was ended by ${signal}`);
      resolve(signal === null ? new StartFailure(code || 1) : killed);
    });
  });
  /** The last report of a worker that has started. */
  report: WorkerReport | null = null;
  /** Until its first report, a process loads for as long as a start may take. */
  #missesLeft = READY_WITHIN_MS / REPORT_EVERY_MS;

  /** `isNeeded`: another one has to take its place when it ends. */
  constructor(public isNeeded: boolean) {
    this.#worker.on('message', (report: WorkerReport) => {
      if (report.status !== 'starting') this.report = report;
      this.#missesLeft = MISSED_REPORTS;
    });
  }

  /** Called whenever a report is due. Counted, because this process may have stood still itself. */
  missesTooMany(): boolean {
    return --this.#missesLeft < 0;
  }

  /** Resolves when it reports one of these states. Rejects if it ends before. */
  reports(...states: readonly WorkerReport['status'][]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.on('message', ({ status }: WorkerReport) => states.includes(status) && resolve());
      void this.ended.then(reject);
    });
  }

  /** A worker that has not started has no requests to finish, so it is killed. */
  end(): void {
    this.isNeeded = false;
    this.process.kill(this.report === null ? 'SIGKILL' : 'SIGTERM');
  }
}
