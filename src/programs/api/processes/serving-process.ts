import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { PrometheusMetrics } from '../../../adapters/operations/prometheus-metrics.js';
import { Readiness } from '../../../adapters/operations/readiness.js';
import type { Tracing } from '../../../adapters/tracing/tracing.js';
import type { ApiConfiguration, Operated } from '../../../composition/configuration.js';
import { configuredApi } from '../../../composition/extensions/configured.js';
import type { Extended } from '../../../composition/extensions/extend.js';
import type { ApiAdditions } from '../../../composition/extensions/extension.js';
import type { Environment } from '../../../composition/read-settings.js';
import type { Log } from '../../../domain/ports/log.js';
import type { Program } from '../../program.js';
import { ApiProgram } from '../api-program.js';
import { type Command, type Message, MIN_RETIREMENT_MS, type Question, type Replies } from './messages.js';

/** Less than the first process allows for the whole report. */
const CHECK_TIMEOUT_MS = 650;
/** The maximum time for running requests and for closing extensions. */
const END_AFTER_FIRST_PROCESS_MS = 14_000;

/** One of several API processes. It serves requests and reports its state to the first process, which has the operators' port. */
export class ServingProcess implements Program {
  readonly #metrics = new PrometheusMetrics();
  readonly #program: ApiProgram;
  readonly #readiness: Readiness;
  #mode: 'starting' | 'serving' | 'retiring' | 'orphaned' = 'starting';

  constructor(
    private readonly settings: ApiConfiguration & Operated,
    traces: Tracing | null,
    extended: Extended<ApiAdditions>,
  ) {
    this.#program = new ApiProgram({ ...settings, isLogShared: true }, this.#metrics, traces, extended);
    this.#metrics.watchProcess();
    this.#readiness = new Readiness(() => this.#program.checks(), {}, CHECK_TIMEOUT_MS);
  }

  static async create(
    environment: Environment,
    startTracing: (environment: Environment) => Promise<Tracing | null>,
  ): Promise<ServingProcess> {
    const { settings, extended } = await configuredApi(environment, process.cwd());
    const traces = await startTracing(environment);
    try {
      return new ServingProcess(settings, traces, extended);
    } catch (error) {
      await traces?.stop();
      throw error;
    }
  }

  get log(): Log {
    return this.#program.log;
  }

  async start(): Promise<void> {
    // Only the first process restarts: when a terminal closes, all processes receive the signal.
    process.on('SIGHUP', () => {});
    process.on('message', (command: Command) => this.#execute(command));
    cluster.worker?.once('disconnect', () => this.#endWithFirstProcess());
    await this.#program.start();
    this.#readiness.started();
    if (this.#mode === 'starting') this.#mode = 'serving';
    const checks = this.#program.checks().map(({ name }) => name);
    await send({ kind: 'started', address: this.#program.address, checks });
  }

  async stop(): Promise<void> {
    this.#readiness.drain();
    await this.#drain();
    await this.#program.stop();
    await send({ kind: 'ending', metrics: await this.#metrics.reported() });
  }

  async #drain(): Promise<void> {
    const { drainMs } = this.settings.operations;
    switch (this.#mode) {
      case 'serving':
        this.#program.drain();
        return pause(drainMs);
      case 'retiring':
        return Promise.race([this.#program.retire(), pause(Math.max(drainMs, MIN_RETIREMENT_MS))]);
    }
  }

  #execute(command: Command): void {
    if (command.kind === 'question') {
      void this.#replyTo(command.question).then((reply) => send({ kind: 'reply', id: command.id, reply }));
    } else {
      this.#endAs('retiring');
    }
  }

  async #replyTo(question: Question): Promise<Replies[Question]> {
    switch (question) {
      case 'alive':
        return true;
      case 'readiness':
        return this.#readiness.report();
      case 'metrics':
        return this.#metrics.reported();
    }
  }

  /**
   * The first process owns the port, so no new connections arrive without it. Node would end this process at once. Instead it finishes its
   * running requests first. A process that is still starting has none, and its start may wait for the first process for ever.
   */
  #endWithFirstProcess(): void {
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    this.log.error('the first process has ended, so this one ends too');
    if (this.#mode === 'starting') process.exit();
    setTimeout(() => process.exit(), END_AFTER_FIRST_PROCESS_MS);
    this.#endAs('orphaned');
  }

  /** The same shutdown as for a signal. */
  #endAs(mode: 'retiring' | 'orphaned'): void {
    this.#mode = mode;
    process.kill(process.pid, 'SIGTERM');
  }
}

/** Resolves when the message has been sent. If the first process has ended, the message is dropped. */
function send(message: Message): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) return resolve();
    process.send(message, undefined, undefined, () => resolve());
  });
}
