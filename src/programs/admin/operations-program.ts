import { setTimeout as pause } from 'node:timers/promises';
import { OperationsServer } from '../../adapters/operations/operations-server.js';
import { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import { Readiness } from '../../adapters/operations/readiness.js';
import type { Operated } from '../../composition/settings/configuration.js';
import { DEFAULT_ADMIN_PORT } from '../../composition/settings/settings.js';
import type { Log } from '../../domain/ports/system/log.js';
import type { OperatedProgram, RunnableProgram } from '../program.js';
import { isTaken, listen } from './listen.js';

/** A program whose operators' port opens before it starts and closes after it has stopped. */
export class OperationsProgram implements RunnableProgram {
  readonly log: Log;
  readonly #program: OperatedProgram;
  readonly #readiness: Readiness;
  readonly #server: OperationsServer;
  #adminAddress: string | null = null;
  #isServing = false;
  #wasStarted = false;
  #stopped: Promise<void> | null = null;

  constructor(
    private readonly configuration: Operated,
    make: (metrics: PrometheusMetrics) => OperatedProgram,
  ) {
    const metrics = new PrometheusMetrics();
    const program = make(metrics);
    metrics.watchProcess();
    this.#program = program;
    this.log = program.log;
    this.#readiness = new Readiness(() => program.examine(), program.replaced);
    this.#server = new OperationsServer(
      this.#readiness,
      program.scraped ?? metrics,
      program.documents ?? {},
      () => program.api ?? null,
    );
  }

  /** The public port as http://host:port, while it runs. */
  get address(): string {
    return running(this.#program.address);
  }

  get adminAddress(): string {
    return running(this.#adminAddress);
  }

  async start(): Promise<void> {
    if (this.#wasStarted || this.#stopped !== null) {
      throw new Error('This program was started before: create another one.');
    }
    this.#wasStarted = true;
    const adminAddress = await this.#listen();
    this.#adminAddress = adminAddress;
    await this.#program.start();
    this.#readiness.started();
    this.#isServing = true;
    const isElsewhere =
      this.configuration.adminPort === null && !adminAddress.endsWith(`:${DEFAULT_ADMIN_PORT}`);
    if (!isElsewhere) return this.log.info("operators' port is open", { adminAddress });
    const message = `port ${DEFAULT_ADMIN_PORT} is taken, so the operators' port of this program is another one: set ADMIN_PORT`;
    this.log.warn(message, { adminAddress });
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Readiness fails first, for the load balancer; then callers close; then nothing is accepted. */
  async #stop(): Promise<void> {
    this.#readiness.drain();
    if (this.#isServing) {
      this.#program.drain?.();
      await pause(this.configuration.drainMs);
    }
    await this.#program.stop();
    await this.#server.stop();
    this.#adminAddress = null;
  }

  /** Programs on one machine share the default. Only a configured port has to be free. */
  async #listen(): Promise<string> {
    const { adminPort: port, adminHost: host } = this.configuration;
    if (port !== null) return listen(this.#server, 'ADMIN_PORT', port, host);
    return this.#server.start(DEFAULT_ADMIN_PORT, host).catch((error: unknown) => {
      if (!isTaken(error)) throw error;
      return this.#server.start(0, host);
    });
  }
}

function running(address: string | null | undefined): string {
  if (address === null || address === undefined) throw new Error('This program is not running');
  return address;
}
