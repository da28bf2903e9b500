import pg from 'pg';
import { Dashboard } from '../support/dashboards/dashboard.js';
import { TcpProxy } from '../support/network/tcp-proxy.js';
import { PostgresServer } from '../support/postgres/postgres-server.js';
import type { RedisMachine } from '../support/redis/redis-machine.js';
import { RedisServer } from '../support/redis/redis-server.js';
import type { Fault, Faults } from './fault-plan.js';
import type { Surroundings } from './surroundings.js';

/** Redis, a separate read database, and both databases behind proxies: every part can fail. */
export class BreakingServers implements Surroundings {
  readonly limit = { max: 60, windowMs: 1_000 };
  readonly redisUrl: string;
  readonly replicas = {};
  readonly parts: Readonly<Record<string, Faults>>;

  private constructor(
    readonly dashboard: Dashboard,
    private readonly redis: RedisServer,
    private readonly postgres: PostgresServer,
    private readonly readDatabase: TcpProxy,
    private readonly writeDatabase: TcpProxy,
  ) {
    this.redisUrl = redis.url;
    this.parts = {
      redis: faultsOfRedis(redis),
      'read database': {
        ...faultsOfNetwork(readDatabase, dashboard.readDatabaseUrl),
        ...faultsOfPostgres(postgres),
      },
      'write database': faultsOfNetwork(writeDatabase, dashboard.writeDatabaseUrl),
    };
  }

  static async build(machine: RedisMachine, tenants: number): Promise<BreakingServers> {
    const postgres = await PostgresServer.start();
    const dashboard = await Dashboard.create(tenants, {
      readDatabaseUrl: await postgres.createDatabase('content'),
    });
    const redis = await RedisServer.start(machine);
    const proxyOf = (url: string) => TcpProxy.before(Number(new URL(url).port));
    const readDatabase = await proxyOf(dashboard.readDatabaseUrl);
    const writeDatabase = await proxyOf(dashboard.writeDatabaseUrl);
    return new BreakingServers(dashboard, redis, postgres, readDatabase, writeDatabase);
  }

  /** The URLs for the programs. The test connects directly. */
  get databaseUrls() {
    const { readDatabaseUrl, writeDatabaseUrl } = this.dashboard;
    return {
      READ_DATABASE_URL: this.readDatabase.url(readDatabaseUrl),
      WRITE_DATABASE_URL: this.writeDatabase.url(writeDatabaseUrl),
    };
  }

  async settle(): Promise<void> {}

  forget(): void {
    for (const proxy of [this.readDatabase, this.writeDatabase]) proxy.forget();
  }

  async stop(): Promise<void> {
    const proxies = [this.readDatabase, this.writeDatabase];
    await Promise.all([this.redis, this.postgres, ...proxies].map((server) => server.stop()));
  }
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
    frozen: { begin: async () => proxy.freeze(), end: async () => proxy.release() },
    'cut off': { begin: () => proxy.cut(), end: () => proxy.restore() },
    'sessions ended': sessionsEnded,
  };
}

/** Ends the sessions of the programs. The test stays connected. */
async function endSessions(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'blog-read-api%'`,
  );
  await client.end();
}
