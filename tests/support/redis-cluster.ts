import { Redis } from 'ioredis';
import { eventually } from '../../src/contracts/support/eventually.js';
import type { RedisMachine } from './redis-machine.js';
import { RedisServer } from './redis-server.js';
import { redisForTests } from './test-redis.js';

const MASTERS = 3;
const SLOTS = 16_384;
const NODE_TIMEOUT_MS = 1_000;

interface Node {
  readonly server: RedisServer;
  readonly client: Redis;
  readonly busPort: number;
}

/** Three masters with a replica each. */
export class RedisCluster {
  private constructor(private readonly nodes: readonly Node[]) {}

  static async start(machine: RedisMachine): Promise<RedisCluster> {
    const cluster = new RedisCluster(
      await Promise.all(Array.from({ length: 2 * MASTERS }, () => startNode(machine))),
    );
    await cluster.#join();
    return cluster;
  }

  get urls(): string[] {
    return this.nodes.map(({ server }) => server.url);
  }

  /** The master that has what belongs to this key. */
  async masterOf(key: string): Promise<RedisServer> {
    for (const { server, client } of this.nodes) {
      const [role] = (await client.role().catch(() => [''])) as [string];
      if (role !== 'master') continue;
      const answer = await client.exists(key).catch((error: Error) => error.message);
      if (typeof answer === 'number') return server;
    }
    throw new Error(`No master has the slot of ${key}`);
  }

  /** From 0 on. Throws while none of its two nodes leads. */
  async masterOfShard(shard: number): Promise<RedisServer> {
    for (const { server, client } of [this.nodes[shard], this.nodes[shard + MASTERS]] as Node[]) {
      const [role] = (await client.role().catch(() => [''])) as [string];
      if (role === 'master') return server;
    }
    throw new Error(`Nobody leads shard ${shard}`);
  }

  async stop(): Promise<void> {
    for (const { client } of this.nodes) client.disconnect();
    await Promise.all(this.nodes.map(({ server }) => server.stop()));
  }

  async #join(): Promise<void> {
    const [first] = this.nodes as [Node];
    const masters = this.nodes.slice(0, MASTERS);
    await Promise.all(
      this.nodes.map(async ({ server, client, busPort }, at) => {
        await client.call('CLUSTER', 'SET-CONFIG-EPOCH', at + 1);
        if (at < MASTERS) {
          const [from, to] = [at, at + 1].map((part) => Math.floor((part * SLOTS) / MASTERS));
          await client.call('CLUSTER', 'ADDSLOTSRANGE', Number(from), Number(to) - 1);
        }
        if (at > 0) await first.client.call('CLUSTER', 'MEET', '127.0.0.1', server.port, busPort);
      }),
    );
    await eventually(() => this.#everyNodeSays(/cluster_known_nodes:6\b/));
    for (const [at, { client }] of this.nodes.slice(MASTERS).entries()) {
      const id = await masters[at]?.client.call('CLUSTER', 'MYID');
      await eventually(() => client.call('CLUSTER', 'REPLICATE', String(id)));
    }
    await eventually(() => this.#everyNodeSays(/cluster_state:ok.*cluster_slots_ok:16384/s));
    await eventually(async () => {
      for (const { client } of masters) {
        if (!/connected_slaves:1.*state=online/s.test(await client.info('replication')))
          throw new Error('No replica');
      }
    });
  }

  async #everyNodeSays(pattern: RegExp): Promise<void> {
    for (const { client } of this.nodes) {
      const info = await client.cluster('INFO');
      if (!pattern.test(String(info))) throw new Error(`The cluster is not ready:\n${info}`);
    }
  }
}

async function startNode(machine: RedisMachine): Promise<Node> {
  const busPort = await machine.port();
  const server = await RedisServer.start(machine, {
    settings: {
      'cluster-enabled': 'yes',
      'cluster-port': busPort,
      'cluster-announce-ip': '127.0.0.1',
      'cluster-node-timeout': NODE_TIMEOUT_MS,
      'cluster-config-file': 'nodes.conf',
      'repl-diskless-sync-delay': 0,
    },
  });
  const client = new Redis(server.url);
  client.on('error', () => {});
  return { server, client, busPort };
}

/** A cluster for the tests of the `describe` around the call, which share it. */
export function sharedCluster(): () => RedisCluster {
  let cluster: RedisCluster | null = null;

  before(async function () {
    cluster = await RedisCluster.start(await redisForTests(this));
  });

  after(async () => {
    await cluster?.stop();
  });

  return () => {
    if (cluster === null) throw new Error('The cluster is there during tests only');
    return cluster;
  };
}
