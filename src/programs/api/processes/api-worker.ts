import { setTimeout as pause } from 'node:timers/promises';
import { PrometheusMetrics, type ReportedMetrics } from '../../../adapters/operations/prometheus-metrics.js';
import { Readiness, type ReadinessReport } from '../../../adapters/operations/readiness.js';
import { RepeatedTask } from '../../../adapters/system/repeated-task.js';
import type { Extended } from '../../../composition/extensions/extend.js';
import type { ApiAdditions } from '../../../composition/extensions/extension.js';
import type { ApiConfiguration, Operated } from '../../../composition/settings/configuration.js';
import type { Log } from '../../../domain/ports/system/log.js';
import type { Program } from '../../program.js';
import { ApiProgram } from '../api-program.js';

export const REPORT_EVERY_MS = 1_000;

/** What a worker tells the first process from its start on, every second. */
export interface WorkerReport {
  readonly readiness: ReadinessReport;
  readonly metrics: ReportedMetrics;
}

export function hasStarted(report: WorkerReport | null): boolean {
  return report !== null && report.readiness.status !== 'starting';
}

export function isReady({ readiness: { status } }: WorkerReport): boolean {
  return status === 'ready' || status === 'degraded';
}

/** One of several API processes. */
export class ApiWorker implements Program {
  readonly #metrics = new PrometheusMetrics();
  readonly #program: ApiProgram;
  readonly #readiness: Readiness;
  readonly #reports: RepeatedTask;
  #isServing = false;

  constructor(
    private readonly settings: ApiConfiguration & Operated,
    extended: Extended<ApiAdditions>,
  ) {
    this.#program = new ApiProgram({ ...settings, isLogShared: true }, this.#metrics, extended);
    this.#metrics.watchProcess();
    this.#readiness = new Readiness(() => this.#program.checks());
    this.#reports = new RepeatedTask('reporting', REPORT_EVERY_MS, () => this.#report(), this.log);
  }

  get log(): Log {
    return this.#program.log;
  }

  async start(): Promise<void> {
    // Only the first process restarts: when a terminal closes, all processes receive the signal.
    process.on('SIGHUP', () => {});
    // While it starts, too: one that does not report is killed.
    await this.#reports.start();
    await this.#program.start();
    this.#readiness.started();
    this.#isServing = true;
  }

  async stop(): Promise<void> {
    this.#readiness.drain();
    if (this.#isServing) {
      this.#program.drain();
      await pause(this.settings.drainMs);
    }
    await this.#reports.stop();
    await this.#program.stop();
  }

  async #report(): Promise<void> {
    const report: WorkerReport = {
      readiness: await this.#readiness.report(),
      metrics: await this.#metrics.reported(),
    };
    // The first process may have ended, and Node then ends this one.
    await new Promise<void>((resolve) => process.send?.(report, undefined, undefined, () => resolve()));
  }
}
