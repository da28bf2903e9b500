import { setTimeout as pause } from 'node:timers/promises';
import { PrometheusMetrics, type ReportedMetrics } from '../../../adapters/operations/prometheus-metrics.js';
import { Readiness, type ReadinessReport } from '../../../adapters/operations/readiness.js';
import type { Extended } from '../../../composition/extensions/extend.js';
import type { ApiAdditions } from '../../../composition/extensions/extension.js';
import type { ApiConfiguration, Operated } from '../../../composition/settings/configuration.js';
import type { Log } from '../../../domain/ports/system/log.js';
import type { Program } from '../../program.js';
import { ApiProgram } from '../api-program.js';

export const REPORT_EVERY_MS = 1_000;

/** What a worker tells the first process, every second from its start until its end. */
export interface WorkerReport extends ReadinessReport {
  readonly metrics: ReportedMetrics;
}

/** One of several API processes. */
export class ApiWorker implements Program {
  readonly log: Log;
  readonly #metrics = new PrometheusMetrics();
  readonly #program: ApiProgram;
  readonly #readiness = new Readiness(() => this.#program.examine(), {});

  constructor(
    private readonly settings: ApiConfiguration & Operated,
    extended: Extended<ApiAdditions>,
  ) {
    this.#program = new ApiProgram({ ...settings, isLogShared: true }, this.#metrics, extended);
    this.log = this.#program.log;
    this.#metrics.watchProcess();
  }

  async start(): Promise<void> {
    // Only the first process restarts: when a terminal closes, all processes receive the signal.
    process.on('SIGHUP', () => {});
    setInterval(() => this.#report(), REPORT_EVERY_MS);
    await this.#program.start();
    this.#readiness.started();
    await this.#report();
  }

  async stop(): Promise<void> {
    this.#readiness.drain();
    if (this.#program.address !== null) {
      this.#program.drain();
      await pause(this.settings.drainMs);
    }
    await this.#program.stop();
    await this.#report();
  }

  async #report(): Promise<void> {
    const metrics = await this.#metrics.reported();
    const report: WorkerReport = { ...(await this.#readiness.report()), metrics };
    // Fails if the first process has ended, and Node then ends this one.
    await new Promise((resolve) => process.send?.(report, undefined, undefined, resolve));
  }
}
