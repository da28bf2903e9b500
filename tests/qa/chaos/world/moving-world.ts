import { Dashboard } from '../../../support/dashboards/dashboard.js';
import type { RedisMachine } from '../../../support/redis/redis-machine.js';
import { ReplicatedPostgres } from '../../support/servers/postgres-standby.js';
import type { Client, Company } from '../chaos.js';
import type { Faults } from '../fault-plan.js';
import { FailingCluster } from '../redis/failing-cluster.js';
import { RetryingDatabase } from '../retrying-database.js';
import type { Surroundings } from '../surroundings.js';
import { ExpiringKeys } from './expiring-keys.js';
import { LostCapture } from './lost-capture.js';
import { FailingOver, resetSettings, settingsChanged } from './moving-databases.js';
import { MovingRedis } from './moving-redis.js';
import { RedisWatch } from './redis-watch.js';
import { WanderingWebsite } from './wandering-website.js';

/** Tenants in addition to those of the readers: for the greedy client and for both owners of the website. */
const OTHER_TENANTS = 3;

/** The servers, in the order in which they are created. */
interface Servers {
  readonly redis: MovingRedis | FailingCluster;
  readonly readServer: FailingOver;
  readonly writeServer: FailingOver;
}

export interface WorldOptions {
  /** Three shards instead of one primary with a replica. */
  readonly cluster: boolean;
  /** The number of blogs of the website that changes its owner. */
  readonly blogs: number;
  readonly tenants: number;
}

/** Redis and both databases fail over, settings of servers change, and tables lose their capture. */
export class MovingWorld implements Surroundings {
  /** Long enough for a window to outlast an outage. */
  readonly limit = { max: 160, windowMs: 4_000 };
  readonly parts: Readonly<Record<string, Faults>>;
  readonly #capture: LostCapture;
  #company: Company | null = null;
  #website: WanderingWebsite | null = null;
  #keys: ExpiringKeys | null = null;
  #watch: RedisWatch | null = null;

  private constructor(
    readonly dashboard: Dashboard,
    private readonly servers: Servers,
    private readonly operators: readonly [RetryingDatabase, RetryingDatabase],
    private readonly options: WorldOptions,
  ) {
    const [readDatabase, writeDatabase] = operators;
    this.#capture = new LostCapture(writeDatabase, dashboard);
    const { redis, readServer, writeServer } = servers;
    this.parts = {
      redis: redis.faults,
      'read database': readServer.faults,
      'write database': writeServer.faults,
      'read database settings': settingsChanged(readDatabase),
      'write database settings': settingsChanged(writeDatabase),
      capture: this.#capture.faults,
    };
  }

  static async build(machine: RedisMachine, options: WorldOptions): Promise<MovingWorld> {
    const started: { stop(): Promise<void> }[] = [];
    const keep = <Server extends { stop(): Promise<void> }>(server: Server): Server => {
      started.push(server);
      return server;
    };
    try {
      const redis = keep(await (options.cluster ? FailingCluster : MovingRedis).start(machine));
      const readServer = keep(await ReplicatedPostgres.start());
      const writeServer = keep(await ReplicatedPostgres.start());
      const dashboard = await Dashboard.create(options.tenants + OTHER_TENANTS, {
        readDatabaseUrl: await readServer.createDatabase('content'),
        writeDatabaseUrl: await writeServer.createDatabase('dashboard'),
      });
      const operators = [
        new RetryingDatabase(dashboard.readDatabaseUrl),
        new RetryingDatabase(dashboard.writeDatabaseUrl),
      ] as const;
      const servers = {
        redis,
        readServer: new FailingOver(readServer),
        writeServer: new FailingOver(writeServer),
      };
      return new MovingWorld(dashboard, servers, operators, options);
    } catch (error) {
      await Promise.all(started.map((server) => server.stop()));
      throw error;
    }
  }

  get databaseUrls() {
    const { readDatabaseUrl, writeDatabaseUrl } = this.dashboard;
    return { READ_DATABASE_URL: readDatabaseUrl, WRITE_DATABASE_URL: writeDatabaseUrl };
  }

  get redisUrl(): string {
    return this.servers.redis.url;
  }

  async clients(company: Company): Promise<readonly Client[]> {
    const owners = [this.dashboard.tenant(), this.dashboard.tenant()] as const;
    this.#company = company;
    this.#capture.reportTo(company);
    this.#website = await WanderingWebsite.of(company, owners, this.options.blogs);
    this.#keys = new ExpiringKeys(company, owners[0].organizationId);
    this.#watch = new RedisWatch(company);
    return [this.#website, this.#keys, this.#watch];
  }

  /** How much of it was tested. */
  figures() {
    return {
      formerOwner: this.#website?.judged ?? 0,
      expiredKeys: this.#keys?.tried ?? 0,
      longestWithoutRedisMs: Math.round(this.#watch?.longestMs ?? 0),
    };
  }

  async settle(): Promise<void> {
    // Resetting ends sessions, as a fault does.
    const troubles = this.#company?.troubles;
    const trouble = troubles?.begin('read database settings', 'as they were, to new sessions');
    for (const database of this.operators) await resetSettings(database);
    if (trouble !== undefined) troubles?.end(trouble);
    await this.#capture.restore();
  }

  forget(): void {
    this.servers.redis.forget();
  }

  async stop(): Promise<void> {
    const { redis, readServer, writeServer } = this.servers;
    await Promise.allSettled(this.operators.map((database) => database.end()));
    await Promise.all([redis, readServer, writeServer].map((server) => server.stop()));
  }
}
