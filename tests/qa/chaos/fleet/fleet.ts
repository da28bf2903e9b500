import { Dashboard } from '../../../support/dashboards/dashboard.js';
import { TcpProxy } from '../../../support/network/tcp-proxy.js';
import { ReplicatedPostgres } from '../../../support/postgres/postgres-standby.js';
import type { RedisMachine } from '../../../support/redis/redis-machine.js';
import type { Fault, Faults } from '../fault-plan.js';
import { FailingCluster } from '../redis/failing-cluster.js';
import type { Surroundings } from '../surroundings.js';
import { COMMITS_LOST } from '../troubles.js';

const REPLICAS = ['one', 'other'];
const PROCESSES = 2;

/**
 * The servers of a large installation: read tables with two streaming replicas, six nodes of Redis Cluster, and API
 * programs of two processes each.
 */
export class Fleet implements Surroundings {
  /** Long enough for a window to outlast an outage. */
  readonly limit = { max: 160, windowMs: 4_000 };
  readonly apis = { processes: PROCESSES, environment: {} };
  readonly parts: Readonly<Record<string, Faults>>;
  readonly replicas: Readonly<Record<string, string>>;
  /** Only the next failover waits for it. */
  #hasReplicas: Promise<void> = Promise.resolve();

  private constructor(
    readonly dashboard: Dashboard,
    private readonly readServer: ReplicatedPostgres,
    private readonly redis: FailingCluster,
    private readonly toReplicas: readonly TcpProxy[],
    private readonly toDashboard: TcpProxy,
  ) {
    const urls = this.#replicaUrls();
    this.apis = { processes: PROCESSES, environment: { READ_REPLICA_URLS: urls.join(',') } };
    this.replicas = Object.fromEntries(REPLICAS.map((name, at) => [partOfReplica(name), urls[at] as string]));
    this.parts = {
      'redis cluster': lossesNamed(redis.faults),
      'read database': {
        [`failed over to a replica, ${COMMITS_LOST} in the last moment`]: this.#failedOver(),
      },
      ...Object.fromEntries(
        REPLICAS.map((name, at) => [partOfReplica(name), faultsOfReplica(toReplicas[at] as TcpProxy)]),
      ),
      'write database': { 'cut off': cutOff(toDashboard) },
    };
  }

  static async build(machine: RedisMachine, tenants: number): Promise<Fleet> {
    const readServer = await ReplicatedPostgres.start();
    const dashboard = await Dashboard.create(tenants, {
      readDatabaseUrl: await readServer.createDatabase('content'),
    });
    for (const _ of REPLICAS) await readServer.addStandby();
    const toReplicas = await Promise.all(
      REPLICAS.map((_, at) => TcpProxy.before(portOf(readServer.urlOnStandby('content', at)))),
    );
    const toDashboard = await TcpProxy.before(portOf(dashboard.writeDatabaseUrl));
    const redis = await FailingCluster.start(machine);
    return new Fleet(dashboard, readServer, redis, toReplicas, toDashboard);
  }

  get databaseUrls() {
    const { readDatabaseUrl, writeDatabaseUrl } = this.dashboard;
    return {
      READ_DATABASE_URL: readDatabaseUrl,
      WRITE_DATABASE_URL: this.toDashboard.url(writeDatabaseUrl),
    };
  }

  get redisUrl(): string {
    return this.redis.url;
  }

  async settle(): Promise<void> {}

  forget(): void {
    for (const proxy of [...this.toReplicas, this.toDashboard]) proxy.forget();
  }

  async stop(): Promise<void> {
    await this.#hasReplicas.catch(() => {});
    await Promise.all(
      [...this.toReplicas, this.toDashboard, this.readServer, this.redis].map((each) => each.stop()),
    );
  }

  #replicaUrls(): readonly string[] {
    return this.toReplicas.map((proxy, at) => proxy.url(this.readServer.urlOnStandby('content', at)));
  }

  #failedOver(): Fault {
    return {
      begin: async () => {
        await this.#hasReplicas;
        await this.readServer.killPrimary();
      },
      end: async () => {
        await this.readServer.promote();
        this.#hasReplicas = this.#replacePromoted();
        // The next caller of `#hasReplicas` receives the error.
        this.#hasReplicas.catch(() => {});
      },
    };
  }

  /** The promoted server is not a replica any more: as an operator would, this directs its address to a new replica. */
  async #replacePromoted(): Promise<void> {
    await this.readServer.addStandby();
    for (const [at, proxy] of this.toReplicas.entries()) {
      proxy.moveTo(portOf(this.readServer.urlOnStandby('content', at)));
      await proxy.cut();
      await proxy.restore();
    }
  }
}

/** A promoted replica of Redis may lack the generations that were published last. */
function lossesNamed(faults: Faults): Faults {
  return Object.fromEntries(
    Object.entries(faults)
      .filter(([name]) => /killed|slots moved/.test(name))
      .map(([name, fault]) => [`${name}, ${COMMITS_LOST} of what was published last`, fault]),
  );
}

function partOfReplica(name: string): string {
  return `replica ${name}`;
}

function faultsOfReplica(proxy: TcpProxy): Faults {
  return {
    'cut off': cutOff(proxy),
    frozen: { begin: async () => proxy.freeze(), end: async () => proxy.release() },
  };
}

function cutOff(proxy: TcpProxy): Fault {
  return { begin: () => proxy.cut(), end: () => proxy.restore() };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
