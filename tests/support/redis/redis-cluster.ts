import { setTimeout as pause } from 'node:timers/promises';
import keySlot from 'cluster-key-slot';
import { Redis } from 'ioredis';
import { eventually } from '../../../src/contracts/support/eventually.js';
import type { RedisMachine } from './redis-machine.js';
import { RedisServer, type ServersOfOneKind } from './redis-server.js';
import { sharedServers } from './test-redis.js';

const MASTERS = 3;
const SLOTS = 16_384;
const NODE_TIMEOUT_MS = 1_000;
const MIGRATED_WITHIN_MS = 600_000;
/** After the election of a master; an election takes about two of `NODE_TIMEOUT_MS`. */
const LOOKS_BEFORE_REPAIR = 5;

export interface Node {
  readonly server: RedisServer;
  readonly client: Redis;
  readonly busPort: number;
}

/** A cluster of three masters with a replica each. */
export class RedisCluster {
  private constructor(
    private readonly machine: RedisMachine,
    private readonly nodes: readonly Node[],
  ) {}

  static async start(machine: RedisMachine, options: ServersOfOneKind = {}): Promise<RedisCluster> {
    const cluster = new RedisCluster(
      machine,
      await Promise.all(Array.from({ length: 2 * MASTERS }, () => startNode(machine, options))),
    );
    await cluster.#join();
    return cluster;
  }

  get urls(): string[] {
    return this.nodes.map(({ server }) => server.url);
  }

  /** The master that holds this key. */
  async masterOf(key: string): Promise<RedisServer> {
    for (const { server, client } of this.nodes) {
      const [role] = (await client.role().catch(() => [''])) as [string];
      if (role !== 'master') continue;
      const answer = await client.exists(key).catch((error: Error) => error.message);
      if (typeof answer === 'number') return server;
    }
    throw new Error(`No master has the slot of ${key}`);
  }

  /** The master of this shard. They are numbered from 0. Throws while there is none. */
  async leaderOf(shard: number): Promise<Node> {
    for (const node of this.#nodesOf(shard)) {
      const [role] = (await node.client.role().catch(() => [''])) as [string];
      if (role === 'master') return node;
    }
    throw new Error(`No node is the master of shard ${shard}`);
  }

  /** The other node of its shard. */
  partnerOf(node: Node): Node {
    const at = this.nodes.indexOf(node);
    return this.nodes[(at + MASTERS) % this.nodes.length] as Node;
  }

  /** Waits until each shard has a master and a replica that follows it, and every node has this state. */
  async whole(): Promise<void> {
    await eventually(() => this.#hasAllSlots());
    await eventually(async () => {
      for (const { client } of this.nodes) {
        const nodes = await client.cluster('NODES');
        if (/\bfail\b|disconnected/.test(String(nodes))) throw new Error(`A node is missing:\n${nodes}`);
      }
      for (let shard = 0; shard < MASTERS; shard++) await expectReplica(await this.leaderOf(shard));
    });
  }

  /**
   * The same after a failover: before 7.2.4, a new master may lose a slot that was moved to it shortly
   * before (redis/redis#12564). An operator adds it again.
   */
  async repaired(): Promise<void> {
    let isWhole = false;
    for (let looks = 0; !isWhole && looks < LOOKS_BEFORE_REPAIR; looks++) {
      await pause(NODE_TIMEOUT_MS);
      isWhole = await this.#hasAllSlots().then(
        () => true,
        () => false,
      );
    }
    if (!isWhole) {
      for (const { server } of this.nodes)
        await this.machine.shell(`redis-cli --cluster fix 127.0.0.1:${server.port} --cluster-yes || true`);
    }
    await this.whole();
  }

  /** The slots of this node that contain keys. */
  async slotsInUse({ client }: Node): Promise<readonly number[]> {
    return [...new Set((await client.keys('*')).map((name) => keySlot(name)))];
  }

  /** Puts the slot into migration, with about half of its keys moved. */
  async beginToMove(slot: number, from: Node, to: Node): Promise<void> {
    await to.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', await idOf(from));
    await from.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', await idOf(to));
    const keys = await from.client.cluster('COUNTKEYSINSLOT', slot);
    await migrate(slot, from, to, Math.ceil(Number(keys) / 2));
  }

  async endMove(slot: number, from: Node, to: Node): Promise<void> {
    while ((await migrate(slot, from, to, 100)) > 0);
    const id = await idOf(to);
    for (const { client } of [to, from]) await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', id);
    for (const { client } of this.nodes) {
      // Replicas learn this from their masters.
      const [role] = (await client.role()) as [string];
      if (role === 'master') await client.call('CLUSTER', 'SETSLOT', slot, 'NODE', id);
    }
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
    await eventually(() => this.#everyNodeReports(/cluster_known_nodes:6\b/));
    for (const [at, { client }] of this.nodes.slice(MASTERS).entries()) {
      const id = await masters[at]?.client.call('CLUSTER', 'MYID');
      await eventually(() => client.call('CLUSTER', 'REPLICATE', String(id)));
    }
    await this.whole();
  }

  #nodesOf(shard: number): readonly Node[] {
    return [this.nodes[shard], this.nodes[shard + MASTERS]] as Node[];
  }

  #hasAllSlots(): Promise<void> {
    return this.#everyNodeReports(/cluster_state:ok.*cluster_slots_ok:16384/s);
  }

  async #everyNodeReports(pattern: RegExp): Promise<void> {
    for (const { client } of this.nodes) {
      const info = await client.cluster('INFO');
      if (!pattern.test(String(info))) throw new Error(`The cluster is not ready:\n${info}`);
    }
  }
}

async function expectReplica({ client }: Node): Promise<void> {
  if (!/connected_slaves:1.*state=online/s.test(await client.info('replication')))
    throw new Error('No replica');
}

async function idOf({ client }: Node): Promise<string> {
  return String(await client.call('CLUSTER', 'MYID'));
}

/** Returns how many keys there were to move. */
async function migrate(slot: number, from: Node, to: Node, atMost: number): Promise<number> {
  const keys = (await from.client.cluster('GETKEYSINSLOT', slot, atMost)) as string[];
  const { port } = to.server;
  if (keys.length > 0) {
    await from.client.call(
      'MIGRATE',
      '127.0.0.1',
      port,
      '',
      0,
      MIGRATED_WITHIN_MS,
      'REPLACE',
      'KEYS',
      ...keys,
    );
  }
  return keys.length;
}

async function startNode(
  machine: RedisMachine,
  { servers = {}, connection = {} }: ServersOfOneKind,
): Promise<Node> {
  const busPort = await machine.port();
  const server = await RedisServer.start(machine, {
    ...servers,
    settings: {
      ...servers.settings,
      'cluster-enabled': 'yes',
      'cluster-port': busPort,
      'cluster-announce-ip': '127.0.0.1',
      'cluster-node-timeout': NODE_TIMEOUT_MS,
      'cluster-config-file': 'nodes.conf',
      'repl-diskless-sync-delay': 0,
    },
  });
  const client = new Redis({ port: server.port, ...connection });
  client.on('error', () => {});
  return { server, client, busPort };
}

/** A cluster that the tests of the surrounding `describe` share. */
export function sharedCluster(options: ServersOfOneKind = {}): () => RedisCluster {
  return sharedServers((machine) => RedisCluster.start(machine, options));
}
