import pg from 'pg';
import { Dashboard } from '../support/dashboard.js';
import { PostgresServer } from '../support/postgres-server.js';
import type { RedisMachine } from '../support/redis-machine.js';
import { RedisServer } from '../support/redis-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import type { Fault, Faults } from './fault-plan.js';
import type { Findings } from './findings.js';
import { KeptProgram } from './kept-program.js';
import { ObservedApi } from './observed-api.js';
import type { Troubles } from './troubles.js';

export const LIMIT = { max: 60, windowMs: 1_000 };

/** Two API processes, a leader and a standby, Redis, a read database of its own, and both databases behind proxies: all of it can break. */
export class Installation {
  readonly apis: readonly ObservedApi[];
  readonly workers: readonly KeptProgram[];
  readonly parts: Readonly<Record<string, Faults>>;

  private constructor(
    readonly dashboard: Dashboard,
    private readonly redis: RedisServer,
    private readonly postgres: PostgresServer,
    private readonly readDatabase: TcpProxy,
    private readonly writeDatabase: TcpProxy,
    troubles: Troubles,
    findings: Findings,
  ) {
    const environment = {
      READ_DATABASE_URL: readDatabase.url(dashboard.readDatabaseUrl),
      WRITE_DATABASE_URL: writeDatabase.url(dashboard.writeDatabaseUrl),
      REDIS_URL: redis.url,
      HOST: '127.0.0.1',
      PORT: '0',
      RATE_LIMIT_MAX: String(LIMIT.max),
      RATE_LIMIT_WINDOW_SECONDS: String(LIMIT.windowMs / 1000),
    };
    const start = (name: string, command: string) => new KeptProgram(name, command, environment, findings);
    this.apis = ['api one', 'api other'].map(
      (name) => new ObservedApi(start(name, 'api'), troubles, findings),
    );
    this.workers = ['worker one', 'worker other'].map((name) => start(name, 'sync'));
    this.parts = {
      ...Object.fromEntries(this.apis.map((api) => [api.name, faultsOfApi(api)])),
      ...Object.fromEntries(this.workers.map((worker) => [worker.name, faultsOfWorker(worker)])),
      redis: faultsOfRedis(redis),
      'read database': {
        ...faultsOfNetwork(readDatabase, dashboard.readDatabaseUrl),
        ...faultsOfPostgres(postgres),
      },
      'write database': faultsOfNetwork(writeDatabase, dashboard.writeDatabaseUrl),
    };
  }

  static async build(
    machine: RedisMachine,
    tenants: number,
    troubles: Troubles,
    findings: Findings,
  ): Promise<Installation> {
    const postgres = await PostgresServer.start();
    const dashboard = await Dashboard.create(tenants, await postgres.createDatabase('content'));
    const redis = await RedisServer.start(machine);
    const proxyOf = (url: string) => TcpProxy.before(Number(new URL(url).port));
    const readDatabase = await proxyOf(dashboard.readDatabaseUrl);
    const writeDatabase = await proxyOf(dashboard.writeDatabaseUrl);
    const installation = new Installation(
      dashboard,
      redis,
      postgres,
      readDatabase,
      writeDatabase,
      troubles,
      findings,
    );
    await Promise.all(installation.apis.map((api) => api.listens()));
    return installation;
  }

  /** May never be logged. A server that trusts everybody has none. */
  get passwords(): readonly string[] {
    return [this.dashboard.readDatabaseUrl, this.dashboard.writeDatabaseUrl]
      .map((url) => decodeURIComponent(new URL(url).password))
      .filter((password) => password !== '');
  }

  /** All that the programs have logged since this was asked last. */
  takeLogs(): string {
    for (const proxy of [this.readDatabase, this.writeDatabase]) proxy.forget();
    const programs = [...this.apis.map(({ program }) => program), ...this.workers];
    return programs.map((program) => program.takeOutput()).join('\n');
  }

  async tearDown(): Promise<void> {
    const programs = [...this.apis.map(({ program }) => program), ...this.workers];
    await Promise.all(programs.map((program) => program.kill()));
    const proxies = [this.readDatabase, this.writeDatabase];
    await Promise.all([this.redis, this.postgres, ...proxies].map((server) => server.stop()));
  }
}

function faultsOfApi(api: ObservedApi): Faults {
  return { killed: api.program.killed(() => api.listens()) };
}

function faultsOfWorker(worker: KeptProgram): Faults {
  return { killed: worker.killed(), frozen: worker.frozen() };
}

function faultsOfRedis(redis: RedisServer): Faults {
  return {
    paused: { begin: () => redis.pause(), end: () => redis.resume() },
    'killed, and back with old data': {
      begin: async () => {
        await redis.keepData();
        await redis.kill();
      },
      end: () => redis.startWithKeptData(),
    },
    'killed, and empty when it is back': { begin: () => redis.kill(), end: () => redis.startEmpty() },
  };
}

function faultsOfPostgres(postgres: PostgresServer): Faults {
  return {
    'frozen itself': { begin: () => postgres.pause(), end: () => postgres.resume() },
    killed: { begin: () => postgres.kill(), end: () => postgres.startAgain() },
  };
}

function faultsOfNetwork(proxy: TcpProxy, url: string): Faults {
  const sessionsEnded: Fault = { begin: () => endSessions(url), end: async () => {} };
  return {
    frozen: { begin: async () => proxy.freeze(), end: async () => proxy.letGo() },
    'cut off': { begin: () => proxy.cut(), end: () => proxy.mend() },
    'sessions ended': sessionsEnded,
  };
}

/** Those of the programs; whoever watches stays connected. */
async function endSessions(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'blog-read-api%'`,
  );
  await client.end();
}
