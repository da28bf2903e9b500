import { PostgresServer } from '../../qa/support/servers/postgres-server.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import { runSql } from '../../support/postgres/run-sql.js';
import type { RedisMachine } from '../../support/redis/redis-machine.js';
import type { Faults } from './fault-plan.js';
import { KeptProgram } from './kept-program.js';
import { ObservedApi } from './observed-api.js';
import { type ChaosRedis, REDIS_KINDS, type RedisKind } from './redis-servers.js';
import type { Findings, Troubles } from './troubles.js';

/** Long enough for a window to outlast an outage. */
export const LIMIT = { max: 160, windowMs: 4_000 };

/** The databases of the programs are behind proxies. The test connects directly. */
interface Servers {
  readonly dashboard: Dashboard;
  readonly redis: ChaosRedis;
  readonly postgres: PostgresServer;
  readonly readDatabase: TcpProxy;
  readonly writeDatabase: TcpProxy;
}

/** Two API programs, a leader and a standby, a Redis and a separate read database: every part can fail. */
export class Installation {
  readonly apis: readonly ObservedApi[];
  readonly workers: readonly KeptProgram[];
  readonly parts: Readonly<Record<string, Faults>>;
  readonly #urls: readonly string[];

  private constructor(
    private readonly servers: Servers,
    troubles: Troubles,
    findings: Findings,
  ) {
    const { dashboard, redis, postgres, readDatabase, writeDatabase } = servers;
    const { readDatabaseUrl, writeDatabaseUrl } = dashboard;
    const environment = {
      READ_DATABASE_URL: readDatabase.url(readDatabaseUrl),
      WRITE_DATABASE_URL: writeDatabase.url(writeDatabaseUrl),
      REDIS_URL: redis.url,
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      RATE_LIMIT_MAX: String(LIMIT.max),
      RATE_LIMIT_WINDOW_SECONDS: String(LIMIT.windowMs / 1000),
    };
    this.#urls = [readDatabaseUrl, writeDatabaseUrl];
    this.apis = ['api one', 'api other'].map(
      (name) => new ObservedApi(new KeptProgram(name, ['api'], environment, findings), troubles, findings),
    );
    this.workers = ['worker one', 'worker other'].map(
      (name) => new KeptProgram(name, ['sync'], environment, findings),
    );
    this.parts = {
      ...Object.fromEntries(this.apis.map((api) => [api.name, faultsOfApi(api)])),
      ...Object.fromEntries(this.workers.map((worker) => [worker.name, faultsOfWorker(worker)])),
      redis: redis.faults,
      'read database': {
        ...faultsOfNetwork(readDatabase, readDatabaseUrl),
        'frozen itself': { begin: () => postgres.pause(), end: () => postgres.resume() },
        killed: { begin: () => postgres.kill(), end: () => postgres.startAgain() },
      },
      'write database': faultsOfNetwork(writeDatabase, writeDatabaseUrl),
    };
  }

  static async start(
    machine: RedisMachine,
    redis: RedisKind,
    tenants: number,
    troubles: Troubles,
    findings: Findings,
  ): Promise<Installation> {
    const postgres = await PostgresServer.start();
    const dashboard = await Dashboard.create(tenants, {
      readDatabaseUrl: await postgres.createDatabase('content'),
    });
    const proxyOf = (url: string) => TcpProxy.before(Number(new URL(url).port));
    const servers = {
      dashboard,
      redis: await REDIS_KINDS[redis](machine),
      postgres,
      readDatabase: await proxyOf(dashboard.readDatabaseUrl),
      writeDatabase: await proxyOf(dashboard.writeDatabaseUrl),
    };
    const installation = new Installation(servers, troubles, findings);
    try {
      await Promise.all(installation.apis.map((api) => api.listens()));
    } catch (error) {
      await installation.tearDown();
      throw error;
    }
    return installation;
  }

  get dashboard(): Dashboard {
    return this.servers.dashboard;
  }

  get programs(): readonly KeptProgram[] {
    return [...this.apis.map(({ program }) => program), ...this.workers];
  }

  /** Must not appear in a log. A server without authentication has none. */
  get passwords(): readonly string[] {
    return this.#urls
      .map((url) => decodeURIComponent(new URL(url).password))
      .filter((password) => password !== '');
  }

  /** The log lines since the last call. */
  takeLogs(): string {
    return this.programs.map((program) => program.takeOutput()).join('\n');
  }

  async tearDown(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.kill()));
    const { redis, postgres, readDatabase, writeDatabase } = this.servers;
    await Promise.all([redis, postgres, readDatabase, writeDatabase].map((server) => server.stop()));
  }
}

function faultsOfApi(api: ObservedApi): Faults {
  return { killed: api.program.killed(() => api.listens()) };
}

function faultsOfWorker(worker: KeptProgram): Faults {
  return { killed: worker.killed(), frozen: worker.frozen() };
}

function faultsOfNetwork(proxy: TcpProxy, url: string): Faults {
  return {
    frozen: { begin: async () => proxy.freeze(), end: async () => proxy.release() },
    'cut off': { begin: () => proxy.cut(), end: () => proxy.restore() },
    'sessions ended': { begin: () => endSessions(url), end: async () => {} },
  };
}

/** Ends the sessions of the programs. The test stays connected. */
function endSessions(url: string): Promise<unknown> {
  return runSql(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'blog-read-api%'`,
  );
}
