import { setTimeout as pause } from 'node:timers/promises';
import { countersOf } from '../../../adapters/operations/merged-metrics.js';
import type { ReportedMetrics } from '../../../adapters/operations/prometheus-metrics.js';
import { withTimeLimit } from '../../../adapters/system/with-time-limit.js';
import type { Log } from '../../../domain/ports/log.js';
import type { Metrics } from '../../../domain/ports/metrics.js';
import { ForkedProcess } from './forked-process.js';
import type { Started } from './messages.js';

/** If a process ran this long, the next one is not expected to end soon. */
const STABLE_AFTER_MS = 10_000;
const MIN_DELAY_MS = 250;
const MAX_DELAY_MS = 30_000;
/** The time limit for each new process of a rolling restart. */
const READY_WITHIN_MS = 60_000;
const POLL_MS = 100;

/** A slot for a process. An ended process is replaced soon. */
interface Place {
  process: ForkedProcess | null;
  /** The number of consecutive processes that ended early. */
  failures: number;
}

/** Keeps a fixed number of API processes running. A process that ends is replaced. A rolling restart replaces all of them one by one. */
export class ProcessGroup {
  readonly #places: readonly Place[];
  readonly #running = new Set<ForkedProcess>();
  #countedByEnded: ReportedMetrics = [];
  #isStopping = false;
  #isRestarting = false;
  #restartIsWanted = false;
  #address: string | null = null;
  /** The variables of new processes, besides the settings. */
  #environment: Readonly<Record<string, string>> = {};

  constructor(
    count: number,
    private readonly log: Log,
    private readonly metrics: Metrics,
    private readonly retiredWithinMs: number,
  ) {
    this.#places = Array.from({ length: count }, () => ({ process: null, failures: 0 }));
  }

  /** Starts one process first: if it cannot start, the others could not either, and the error is reported once. */
  async start(): Promise<Started> {
    const [first, ...others] = this.#places;
    if (first === undefined) throw new Error('A process group needs at least one process');
    const started = await this.#fillAtStart(first);
    await Promise.all(others.map((place) => this.#fillAtStart(place)));
    return started;
  }

  get size(): number {
    return this.#places.length;
  }

  /** The number of processes that answered the last query for metrics. */
  get answering(): number {
    return this.ready.filter(({ answers }) => answers).length;
  }

  /** Processes that have started. */
  get ready(): readonly ForkedProcess[] {
    return this.#places.flatMap(({ process }) => (process?.isReady ? [process] : []));
  }

  /** The metrics of running processes, and the counts of ended ones. */
  async reported(): Promise<readonly ReportedMetrics[]> {
    const running = [...this.#running];
    const reported = await Promise.all(running.map((process) => process.metrics()));
    // A process that ended meanwhile is included in the counts of ended ones.
    return [
      this.#countedByEnded,
      ...reported.filter((_, at) => this.#running.has(running[at] as ForkedProcess)),
    ];
  }

  /** From now on, no process is replaced and all of them end. */
  terminate(): void {
    this.#isStopping = true;
    for (const process of this.#running) process.kill('SIGTERM');
  }

  /** Processes that hang are killed. */
  async allEnded(withinMs: number): Promise<void> {
    await Promise.all([...this.#running].map((process) => this.#endOf(process, withinMs)));
  }

  /** Replaces the processes one by one: each is ready before the old one retires. A request meanwhile causes another restart afterwards. */
  async restart(): Promise<void> {
    this.#restartIsWanted = true;
    if (this.#isRestarting) return;
    this.#isRestarting = true;
    while (this.#restartIsWanted) {
      this.#restartIsWanted = false;
      await this.#replaceAll().catch((error: unknown) => {
        this.metrics.count('restart-failed');
        this.log.error('rolling restart failed', { error });
      });
    }
    this.#isRestarting = false;
  }

  async #replaceAll(): Promise<void> {
    this.log.info('rolling restart begins');
    for (const place of this.#places) {
      if (this.#isStopping) return;
      const next = this.#fork();
      try {
        await withTimeLimit(READY_WITHIN_MS, this.#isUp(next));
      } catch (error) {
        if (this.#isStopping) return;
        next.kill('SIGKILL');
        this.metrics.count('restart-failed');
        const reason = error instanceof Error ? error.message : String(error);
        return this.log.error('rolling restart canceled: the old processes continue', { reason });
      }
      if (this.#isStopping) return;
      const old = place.process;
      this.#put(next, place);
      old?.retire();
      if (old) await this.#endOf(old, this.retiredWithinMs);
    }
    this.log.info('rolling restart has ended', { pids: this.ready.map(({ pid }) => pid) });
  }

  async #endOf(process: ForkedProcess, withinMs: number): Promise<void> {
    await withTimeLimit(withinMs, process.ended).catch(() => {
      this.log.error('an API process does not end and is killed', { ofPid: process.pid });
      process.kill('SIGKILL');
    });
    await process.ended;
  }

  async #isUp(process: ForkedProcess): Promise<void> {
    await process.started;
    for (;;) {
      const report = await process.ask('readiness');
      if (report === null) throw new Error('the new process ended');
      if (report.status === 'ready' || report.status === 'degraded') return;
      await pause(POLL_MS);
    }
  }

  /** A process that fails here is not replaced: the start fails. */
  async #fillAtStart(place: Place): Promise<Started> {
    if (this.#isStopping) throw new Error('The processes were stopped before all of them had started');
    const process = this.#fork();
    const started = await process.started;
    this.#put(process, place);
    return started;
  }

  #fork(): ForkedProcess {
    const process = new ForkedProcess(this.#environment);
    this.#running.add(process);
    process.started.then(({ address }) => this.#requireAddress(address, process)).catch(() => {});
    void process.ended.then(() => {
      this.#running.delete(process);
      this.#countedByEnded = countersOf([this.#countedByEnded, process.counted]);
    });
    return process;
  }

  /**
   * With port 0, the system chooses a port for the first process, and the others share it. If all have ended at once, it would choose
   * another port.
   */
  #requireAddress(address: string, process: ForkedProcess): void {
    this.#address ??= address;
    if (address === this.#address) return;
    this.#environment = { PORT: new URL(this.#address).port };
    this.log.warn('an API process got another port than the others, and ends', {
      ofPid: process.pid,
      address,
    });
    process.kill('SIGTERM');
  }

  #put(process: ForkedProcess, place: Place): void {
    place.process = process;
    const begin = performance.now();
    void process.ended.then((ending) => {
      if (this.#isStopping || place.process !== process) return;
      place.process = null;
      this.metrics.count('process-lost');
      place.failures = performance.now() - begin < STABLE_AFTER_MS ? place.failures + 1 : 0;
      const inMs =
        place.failures === 0 ? 0 : Math.min(MIN_DELAY_MS * 2 ** (place.failures - 1), MAX_DELAY_MS);
      this.log.error('an API process ended and is replaced', { ofPid: process.pid, ending, inMs });
      setTimeout(() => {
        if (!this.#isStopping && place.process === null) this.#put(this.#fork(), place);
      }, inMs);
    });
  }
}
