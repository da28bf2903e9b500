import pg from 'pg';
import { migrate } from '../../../src/programs/migrate/migrate.js';
import { Dashboard } from '../../support/dashboards/dashboard.js';
import { makeReferenceSchema } from '../../support/dashboards/mysql-dashboard.js';
import { TcpProxy } from '../../support/network/tcp-proxy.js';
import type { RedisMachine } from '../../support/redis/redis-machine.js';
import { RedisServer } from '../../support/redis/redis-server.js';
import { type MariaDbPrograms, MariaDbServer } from '../support/servers/mariadb-server.js';
import { PostgresServer } from '../support/servers/postgres-server.js';
import type { Faults } from './fault-plan.js';
import { insertMysqlTenants } from './mysql-tenants.js';
import { faultsOfNetwork, faultsOfServer } from './server-faults.js';
import type { Surroundings } from './surroundings.js';

/** Committed changes survive when the server is killed. */
const DURABLE = ['--innodb-flush-log-at-trx-commit=2'];

interface Servers {
  readonly dashboard: Surroundings['dashboard'];
  readonly redis: RedisServer;
  readonly postgres: PostgresServer;
  readonly mariaDb: MariaDbServer | null;
  readonly readDatabase: TcpProxy;
  readonly writeDatabase: TcpProxy;
}

/** Redis, a separate read database, and both databases behind proxies: every part can fail. */
export class BreakingServers implements Surroundings {
  readonly limit = { max: 60, windowMs: 1_000 };
  readonly redisUrl: string;
  readonly parts: Readonly<Record<string, Faults>>;

  private constructor(private readonly servers: Servers) {
    const { dashboard, redis, postgres, mariaDb, readDatabase, writeDatabase } = servers;
    this.redisUrl = redis.url;
    this.parts = {
      redis: faultsOfRedis(redis),
      'read database': {
        ...faultsOfNetwork(readDatabase, () => endPostgresSessions(dashboard.readDatabaseUrl)),
        ...faultsOfServer(postgres),
      },
      'write database':
        mariaDb === null
          ? faultsOfNetwork(writeDatabase, () => endPostgresSessions(dashboard.writeDatabaseUrl))
          : {
              ...faultsOfNetwork(writeDatabase, () =>
                writeDatabase.cut().then(() => writeDatabase.restore()),
              ),
              ...faultsOfServer(mariaDb),
            },
    };
  }

  /** The dashboard is on MariaDB if there are programs for it, otherwise on PostgreSQL. */
  static async build(
    machine: RedisMachine,
    tenants: number,
    mariaDbPrograms: MariaDbPrograms | null,
  ): Promise<BreakingServers> {
    const postgres = await PostgresServer.start();
    const readDatabaseUrl = await postgres.createDatabase('content');
    const mariaDb = mariaDbPrograms === null ? null : await MariaDbServer.start(mariaDbPrograms, DURABLE);
    const dashboard =
      mariaDb === null
        ? await Dashboard.create(tenants, { readDatabaseUrl })
        : await dashboardOn(mariaDb, tenants, readDatabaseUrl);
    const proxyOf = (url: string) => TcpProxy.before(Number(new URL(url).port));
    return new BreakingServers({
      dashboard,
      redis: await RedisServer.start(machine),
      postgres,
      mariaDb,
      readDatabase: await proxyOf(readDatabaseUrl),
      writeDatabase: await proxyOf(dashboard.writeDatabaseUrl),
    });
  }

  get dashboard() {
    return this.servers.dashboard;
  }

  /** The URLs for the programs. The test connects directly. */
  get databaseUrls() {
    const { readDatabaseUrl, writeDatabaseUrl } = this.dashboard;
    return {
      READ_DATABASE_URL: this.servers.readDatabase.url(readDatabaseUrl),
      WRITE_DATABASE_URL: this.servers.writeDatabase.url(writeDatabaseUrl),
    };
  }

  async settle(): Promise<void> {}

  forget(): void {
    for (const proxy of [this.servers.readDatabase, this.servers.writeDatabase]) proxy.forget();
  }

  async stop(): Promise<void> {
    const { redis, postgres, mariaDb, readDatabase, writeDatabase } = this.servers;
    await Promise.all([redis, postgres, readDatabase, writeDatabase].map((server) => server.stop()));
    await mariaDb?.stop();
  }
}

async function dashboardOn(
  mariaDb: MariaDbServer,
  tenantCount: number,
  readDatabaseUrl: string,
): Promise<Surroundings['dashboard']> {
  const writeDatabaseUrl = await mariaDb.createDatabase('dashboard');
  await makeReferenceSchema(writeDatabaseUrl);
  await migrate({ readDatabaseUrl, writeDatabaseUrl }, () => {});
  const tenants = await insertMysqlTenants(writeDatabaseUrl, tenantCount);
  return {
    writeDatabaseUrl,
    readDatabaseUrl,
    tenant() {
      const tenant = tenants.pop();
      if (tenant === undefined) throw new Error('All tenants of the dashboard are in use');
      return tenant;
    },
  };
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

/** Ends the sessions of the programs. The test stays connected. */
async function endPostgresSessions(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name like 'blog-read-api%'`,
  );
  await client.end();
}
