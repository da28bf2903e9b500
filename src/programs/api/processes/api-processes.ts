import type { RequestListener } from 'node:http';
import { mergedMetrics } from '../../../adapters/operations/merged-metrics.js';
import type { Scraped } from '../../../adapters/operations/operations-server.js';
import type { PrometheusMetrics } from '../../../adapters/operations/prometheus-metrics.js';
import { type Check, type CheckResult, Degraded } from '../../../adapters/operations/readiness.js';
import { MAX_CONNECTIONS } from '../../../adapters/postgres/connection/read-database.js';
import { withTimeLimit } from '../../../adapters/system/with-time-limit.js';
import type { ApiConfiguration, Operated } from '../../../composition/configuration.js';
import { namesOfReplaced, type Replaced } from '../../../composition/extensions/extend.js';
import { openLog } from '../../../composition/open-log.js';
import type { Log } from '../../../domain/ports/log.js';
import type { OperatedProgram } from '../../program.js';
import { API_DOCUMENTS } from '../api-documents.js';
import { forwardRequests } from './forward-requests.js';
import { MIN_RETIREMENT_MS } from './messages.js';
import { ProcessGroup } from './process-group.js';

/** Less than the time limit of a readiness check. */
const REPORT_WITHIN_MS = 750;
/** The time that a process takes to finish its requests, and less than the supervisor of the program waits. */
const END_WITHIN_MS = 14_000;
const MAX_RETIREMENT_MS = MIN_RETIREMENT_MS + END_WITHIN_MS;

/**
 * Several processes of the API with one public port, as one program. This process is the first one: it starts the others and serves no
 * requests.
 */
export class ApiProcesses implements OperatedProgram {
  readonly documents = API_DOCUMENTS;
  readonly log: Log;
  readonly replaced: Readonly<Record<string, string>>;
  readonly scraped: Scraped;
  readonly #group: ProcessGroup;
  #isStarted = false;
  #checks: readonly string[] = [];
  #api: RequestListener | null = null;

  constructor(
    count: number,
    settings: ApiConfiguration & Operated,
    metrics: PrometheusMetrics,
    replaced: Replaced,
  ) {
    this.log = openLog({ ...settings, isLogShared: true }, metrics);
    this.replaced = namesOfReplaced(replaced);
    this.#group = new ProcessGroup(count, this.log, metrics, MAX_RETIREMENT_MS + settings.operations.drainMs);
    metrics.watch(['processes'], () => ({ processes: this.#group.answering }));
    this.scraped = {
      contentType: metrics.contentType,
      // The others are asked first, because this process reports how many of them answered.
      text: async () => {
        const reported = await this.#group.reported();
        return mergedMetrics([await metrics.reported(), ...reported]);
      },
    };
  }

  async start(): Promise<void> {
    const { size } = this.#group;
    this.log.info('API processes start', {
      processes: size,
      mostDatabaseConnections: size * MAX_CONNECTIONS,
    });
    const { address, checks } = await this.#group.start();
    this.#checks = checks;
    this.#api = forwardRequests(address);
    this.#isStarted = true;
  }

  giveUpStart(): void {
    this.#group.terminate();
    void this.#group.allEnded(END_WITHIN_MS);
  }

  get api(): RequestListener | null {
    return this.#api;
  }

  /** Answers only after each process has answered. If one hangs, there is no answer, as with a single process. */
  async isAlive(): Promise<void> {
    await Promise.all(this.#group.ready.map((process) => process.ask('alive')));
  }

  /** The worst result of all processes for each check, because any of them may receive the next request. */
  checks(): readonly Check[] {
    const processes = this.#group.ready;
    const reports = Promise.all(
      processes.map((process) => withTimeLimit(REPORT_WITHIN_MS, process.ask('readiness')).catch(() => null)),
    );
    const ofEach = this.#checks.map((name) => ({
      name,
      run: async () => requireHealthy((await reports).flatMap((report) => report?.checks[name] ?? [])),
    }));
    const run = async () => {
      if (processes.length === 0) throw new Error('no process responds');
      const answering = (await reports).filter((report) => report !== null).length;
      const { size } = this.#group;
      if (answering < size) throw new Degraded(`${answering} of ${size} processes answer`);
    };
    return [{ name: 'processes', run }, ...ofEach];
  }

  /** Each process drains for as long as this program does. */
  drain(): void {
    this.#group.terminate();
  }

  async stop(): Promise<void> {
    this.#api = null;
    this.#group.terminate();
    await this.#group.allEnded(END_WITHIN_MS);
  }

  restart(): void {
    if (this.#isStarted) void this.#group.restart();
  }
}

function requireHealthy(results: readonly CheckResult[]): void {
  for (const status of ['failed', 'degraded'] as const) {
    const such = results.filter((result) => result.status === status);
    const [first] = such;
    if (first === undefined) continue;
    const where = such.length === results.length ? '' : `in ${such.length} of ${results.length} processes: `;
    const reason = `${where}${first.reason}`;
    throw status === 'degraded' ? new Degraded(reason) : new Error(reason);
  }
}
