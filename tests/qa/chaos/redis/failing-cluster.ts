import { eventually } from '../../../../src/contracts/support/eventually.js';
import { type Node, RedisCluster } from '../../../support/redis/redis-cluster.js';
import type { RedisMachine } from '../../../support/redis/redis-machine.js';
import type { Fault, Faults } from '../fault-plan.js';

const SHARDS = [0, 1, 2];
const MOVED_AT_ONCE = 4;

/** Six nodes, of which one fails at a time: two dead masters of three would leave no majority to elect a third. */
export class FailingCluster {
  private constructor(private readonly cluster: RedisCluster) {}

  static async start(machine: RedisMachine): Promise<FailingCluster> {
    return new FailingCluster(await RedisCluster.start(machine));
  }

  get url(): string {
    return this.cluster.urls.join(',');
  }

  /** After each fault the cluster is complete again. */
  get faults(): Faults {
    return Object.fromEntries(
      SHARDS.flatMap((shard) =>
        Object.entries(this.#faultsOf(shard)).map(([fault, { begin, end }]) => [
          `shard ${shard}: ${fault}`,
          { begin, end: () => end().then(() => this.cluster.whole()) },
        ]),
      ),
    );
  }

  forget(): void {}

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  #faultsOf(shard: number): Faults {
    return {
      'master killed, its replica promoted': this.#withMaster(shard, {
        begin: ({ server }) => server.kill(),
        end: (master) => this.#replace(master),
      }),
      'master killed, a replica promoted that lacks the last writes': this.#withMaster(shard, {
        begin: (master) => this.cluster.partnerOf(master).server.pause(),
        end: async (master) => {
          await master.server.kill();
          await this.cluster.partnerOf(master).server.resume();
          await this.#replace(master);
        },
      }),
      'master restarted with an old snapshot': this.#withMaster(shard, {
        begin: ({ server }) => server.keepData(),
        end: async ({ server }) => {
          await server.kill();
          await server.startWithKeptData();
        },
      }),
      // If the fault lasts long enough, the replica is promoted, and writes to the frozen master in the meantime are
      // lost.
      'master frozen': this.#withMaster(shard, {
        begin: ({ server }) => server.pause(),
        end: ({ server }) => server.resume(),
      }),
      'replica promoted by an operator': this.#withMaster(shard, {
        begin: async (master) => {
          await this.cluster.partnerOf(master).client.call('CLUSTER', 'FAILOVER');
        },
        end: async () => {},
      }),
      'slots moved to the next shard': this.#slotsMoved(shard),
    };
  }

  #withMaster(
    shard: number,
    fault: { begin(master: Node): Promise<void>; end(master: Node): Promise<void> },
  ): Fault {
    let master: Node;
    return {
      begin: async () => {
        master = await this.cluster.leaderOf(shard);
        await fault.begin(master);
      },
      end: () => fault.end(master),
    };
  }

  /** The node comes back once its replica has been promoted. */
  async #replace(dead: Node): Promise<void> {
    const successor = this.cluster.partnerOf(dead);
    await eventually(async () => {
      const [role] = (await successor.client.role()) as [string];
      if (role !== 'master') throw new Error('No replica has been promoted');
    });
    await dead.server.startEmpty();
  }

  #slotsMoved(shard: number): Fault {
    let move: { readonly from: Node; readonly to: Node; readonly slots: readonly number[] };
    return {
      begin: async () => {
        const [from, to] = [
          await this.cluster.leaderOf(shard),
          await this.cluster.leaderOf((shard + 1) % SHARDS.length),
        ];
        const slots = (await this.cluster.slotsInUse(from)).slice(0, MOVED_AT_ONCE);
        move = { from, to, slots };
        for (const slot of slots) await this.cluster.beginToMove(slot, from, to);
      },
      end: async () => {
        for (const slot of move.slots) await this.cluster.endMove(slot, move.from, move.to);
      },
    };
  }
}
