import cluster from 'node:cluster';
import { StartFailure } from '../../program.js';
import type { WorkerReport } from './api-worker.js';

/** Reports that a worker may miss: then it does not answer, and then it hangs. */
const MISSED_IF_SILENT = 3;
const MISSED_IF_HUNG = 10;
/** One that starts has not reported yet. */
const MISSED_IF_START_HANGS = 60;

interface Ending {
  readonly reason: string;
  /** Of its start. */
  readonly failure: Error;
}

/** A worker of the API as the first process sees it. */
export class WorkerProcess {
  readonly startedAt = performance.now();
  /** Resolves with the reason. */
  readonly ended: Promise<string>;
  /** Resolves with its first report, or rejects if it ends before. */
  readonly started: Promise<void>;
  /** Whether another one has to take its place when it ends. */
  isNeeded = false;
  /** Null until it has started. */
  report: WorkerReport | null = null;
  hasEnded = false;
  #missed = 0;
  readonly #worker = cluster.fork();

  constructor() {
    const ending = new Promise<Ending>((resolve) => {
      const notStarted = (reason: string) => new Error(`An API process did not start: ${reason}.`);
      this.#worker.once('exit', (code: number, signal: string | null) => {
        const reason = signal === null ? `exit code ${code}` : `it was ended by ${signal}`;
        resolve({ reason, failure: signal === null ? new StartFailure(code || 1) : notStarted(reason) });
      });
      this.#worker.on('error', ({ message }: Error) => {
        if (this.pid === undefined) resolve({ reason: message, failure: notStarted(message) });
      });
    });
    this.ended = ending.then(({ reason }) => {
      this.hasEnded = true;
      return reason;
    });
    this.started = new Promise((resolve, reject) => {
      this.#worker.on('message', (report: WorkerReport) => {
        this.report = report;
        this.#missed = 0;
        resolve();
      });
      void ending.then(({ failure }) => reject(failure));
    });
    // Callers that await it still get the error.
    this.started.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  get isReady(): boolean {
    return ['ready', 'degraded'].includes(this.report?.readiness.status ?? '');
  }

  get isAnswering(): boolean {
    return this.report !== null && this.#missed < MISSED_IF_SILENT;
  }

  /**
   * Called whenever a report is due. Counts instead of measuring: this process may have stood still
   * itself.
   */
  isHung(): boolean {
    return ++this.#missed > (this.report === null ? MISSED_IF_START_HANGS : MISSED_IF_HUNG);
  }

  end(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.#worker.process.kill(signal);
  }

  retire(): void {
    this.#worker.send('retire', () => {});
  }
}
