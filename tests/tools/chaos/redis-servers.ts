import { eventually } from '../../../src/contracts/support/eventually.js';
import { RedisCluster } from '../../support/redis/redis-cluster.js';
import type { RedisMachine } from '../../support/redis/redis-machine.js';
import { type Member, RedisSentinels } from '../../support/redis/redis-sentinels.js';
import { RedisServer } from '../../support/redis/redis-server.js';
import type { Fault, Faults } from './fault-plan.js';

const SHARDS = [0, 1, 2];
const MOVED_AT_ONCE = 4;

/** The Redis of an installation, and its faults. After each fault all of its servers are available again. */
export interface ChaosRedis {
  readonly url: string;
  readonly faults: Faults;
  stop(): Promise<void>;
}

export const REDIS_KINDS = { single, cluster, sentinel };
export type RedisKind = keyof typeof REDIS_KINDS;

async function single(machine: RedisMachine): Promise<ChaosRedis> {
  const server = await RedisServer.start(machine);
  return {
    url: server.url,
    faults: {
      paused: { begin: () => server.pause(), end: () => server.resume() },
      'killed, and back with old data': {
        begin: () => server.keepData().then(() => server.kill()),
        end: () => server.startWithKeptData(),
      },
      'killed, and empty when it is back': { begin: () => server.kill(), end: () => server.startEmpty() },
    },
    stop: () => server.stop(),
  };
}

/** Six nodes, of which one fails at a time: two dead masters of three would leave no majority to elect a third. */
async function cluster(machine: RedisMachine): Promise<ChaosRedis> {
  const nodes = await RedisCluster.start(machine);
  const faults = SHARDS.flatMap((shard) => {
    const ofShard = {
      ...faultsOfMaster({
        master: () => nodes.leaderOf(shard),
        replicaOf: (master) => nodes.partnerOf(master),
        promote: (replica) => replica.client.call('CLUSTER', 'FAILOVER'),
      }),
      'slots moved to the next shard': slotsMoved(nodes, shard),
    };
    return Object.entries(ofShard).map(([name, fault]) => [`shard ${shard}: ${name}`, fault] as const);
  });
  return {
    url: nodes.urls.join(','),
    faults: untilWhole(Object.fromEntries(faults), () => nodes.repaired()),
    stop: () => nodes.stop(),
  };
}

/** A master with a replica and three sentinels. */
async function sentinel(machine: RedisMachine): Promise<ChaosRedis> {
  const sentinels = await RedisSentinels.start(machine);
  const [first] = sentinels.sentinelServers;
  const faults: Faults = {
    ...faultsOfMaster({
      master: () => sentinels.master(),
      replicaOf: (master) => sentinels.otherThan(master),
      promote: () => sentinels.failOver(),
    }),
    'first sentinel killed': {
      begin: async () => first?.kill(),
      end: async () => first?.startEmpty(),
    },
  };
  return {
    url: sentinels.url,
    faults: untilWhole(faults, () => sentinels.whole()),
    stop: () => sentinels.stop(),
  };
}

interface Replicated<Server extends Member> {
  master(): Promise<Server>;
  replicaOf(master: Server): Server;
  /** As an operator does. */
  promote(replica: Server): Promise<unknown>;
}

function faultsOfMaster<Server extends Member>(servers: Replicated<Server>): Faults {
  const { replicaOf } = servers;
  const withMaster = (
    begin: (master: Server) => Promise<unknown>,
    end: (master: Server) => Promise<unknown>,
  ) => {
    let master: Server;
    return {
      begin: async () => {
        master = await servers.master();
        await begin(master);
      },
      end: () => end(master),
    };
  };
  /** The server comes back once its replica has been promoted. */
  const replaced = async (dead: Server) => {
    await eventually(async () => {
      const [role] = (await replicaOf(dead).client.role()) as [string];
      if (role !== 'master') throw new Error('No replica has been promoted');
    });
    await dead.server.startEmpty();
  };
  return {
    'master killed, its replica promoted': withMaster(({ server }) => server.kill(), replaced),
    'master killed, a replica promoted that lacks the last writes': withMaster(
      (master) => replicaOf(master).server.pause(),
      async (master) => {
        await master.server.kill();
        await replicaOf(master).server.resume();
        await replaced(master);
      },
    ),
    // If this lasts long enough, the replica is promoted, and writes to the frozen master in the meantime are lost.
    'master frozen': withMaster(
      ({ server }) => server.pause(),
      ({ server }) => server.resume(),
    ),
    'replica promoted by an operator': withMaster(
      (master) => servers.promote(replicaOf(master)),
      async () => {},
    ),
  };
}

function slotsMoved(nodes: RedisCluster, shard: number): Fault {
  let finish = async () => {};
  return {
    begin: async () => {
      const [from, to] = [await nodes.leaderOf(shard), await nodes.leaderOf((shard + 1) % SHARDS.length)];
      const slots = (await nodes.slotsInUse(from)).slice(0, MOVED_AT_ONCE);
      for (const slot of slots) await nodes.beginToMove(slot, from, to);
      finish = async () => {
        for (const slot of slots) await nodes.endMove(slot, from, to);
      };
    },
    end: () => finish(),
  };
}

function untilWhole(faults: Faults, whole: () => Promise<void>): Faults {
  return Object.fromEntries(
    Object.entries(faults).map(([name, { begin, end }]) => [name, { begin, end: () => end().then(whole) }]),
  );
}
