import type { Faults } from './fault-plan.js';
import type { Findings } from './findings.js';
import { KeptProgram } from './kept-program.js';
import { ObservedApi } from './observed-api.js';
import type { Surroundings } from './surroundings.js';
import type { Troubles } from './troubles.js';

/** Two API programs, a leader and a standby, on servers that fail. */
export class Installation {
  readonly apis: readonly ObservedApi[];
  readonly workers: readonly KeptProgram[];
  /** Every part that can fail, including the programs. */
  readonly parts: Readonly<Record<string, Faults>>;

  private constructor(
    readonly surroundings: Surroundings,
    troubles: Troubles,
    findings: Findings,
  ) {
    const { databaseUrls, redisUrl, limit } = surroundings;
    const environment = {
      ...databaseUrls,
      REDIS_URL: redisUrl,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      RATE_LIMIT_MAX: String(limit.max),
      RATE_LIMIT_WINDOW_SECONDS: String(limit.windowMs / 1000),
    };
    this.apis = ['api one', 'api other'].map((name) => {
      const program = new KeptProgram(name, ['api'], environment, findings);
      return new ObservedApi(program, troubles, findings);
    });
    this.workers = ['worker one', 'worker other'].map(
      (name) => new KeptProgram(name, ['sync'], environment, findings),
    );
    this.parts = {
      ...Object.fromEntries(this.apis.map((api) => [api.name, faultsOfApi(api)])),
      ...Object.fromEntries(this.workers.map((worker) => [worker.name, faultsOfWorker(worker)])),
      ...surroundings.parts,
    };
  }

  /** From now on the installation stops the servers. */
  static async on(surroundings: Surroundings, troubles: Troubles, findings: Findings): Promise<Installation> {
    const installation = new Installation(surroundings, troubles, findings);
    try {
      await Promise.all(installation.apis.map((api) => api.listens()));
    } catch (error) {
      await installation.tearDown();
      throw error;
    }
    return installation;
  }

  get programs(): readonly KeptProgram[] {
    return [...this.apis.map(({ program }) => program), ...this.workers];
  }

  /** Must not appear in a log. A server without authentication has none. */
  get passwords(): readonly string[] {
    return Object.values(this.surroundings.databaseUrls)
      .map((url) => decodeURIComponent(new URL(url).password))
      .filter((password) => password !== '');
  }

  /** The log lines since the last call. */
  takeLogs(): string {
    this.surroundings.forget();
    return this.programs.map((program) => program.takeOutput()).join('\n');
  }

  async tearDown(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.kill()));
    await this.surroundings.stop();
  }
}

function faultsOfApi(api: ObservedApi): Faults {
  return { killed: api.program.killed(() => api.listens()) };
}

function faultsOfWorker(worker: KeptProgram): Faults {
  return { killed: worker.killed(), frozen: worker.frozen() };
}
