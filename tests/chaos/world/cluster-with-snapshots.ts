import { eventually } from '../../../src/contracts/support/eventually.js';
import { RedisCluster } from '../../support/redis-cluster.js';
import type { RedisMachine } from '../../support/redis-machine.js';
import type { RedisServer } from '../../support/redis-server.js';
import type { Fault, Faults } from '../fault-plan.js';

const SHARDS = ['one', 'two', 'three'];

/** A cluster whose masters come back with what they once had. */
export class ClusterWithSnapshots {
  private constructor(private readonly cluster: RedisCluster) {}

  static async start(machine: RedisMachine): Promise<ClusterWithSnapshots> {
    return new ClusterWithSnapshots(await RedisCluster.start(machine));
  }

  get url(): string {
    return this.cluster.urls.join(',');
  }

  get parts(): Readonly<Record<string, Faults>> {
    return Object.fromEntries(
      SHARDS.map((name, shard) => [
        `redis shard ${name}`,
        {
          'its master restarted with an old snapshot': this.#restartedOld(shard),
          frozen: this.#frozen(shard),
        },
      ]),
    );
  }

  forget(): void {}

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  /** There is none for a moment where a replica takes over. */
  #masterOf(shard: number): Promise<RedisServer> {
    return eventually(() => this.cluster.masterOfShard(shard));
  }

  /** At once, so that its replica does not take over. */
  #restartedOld(shard: number): Fault {
    return {
      begin: async () => (await this.#masterOf(shard)).keepData(),
      end: async () => {
        const master = await this.#masterOf(shard);
        await master.kill();
        await master.startWithKeptData();
      },
    };
  }

  /** A long one has the replica take over, and what the frozen master had in the meantime is lost. */
  #frozen(shard: number): Fault {
    let resume = async () => {};
    return {
      begin: async () => {
        const master = await this.#masterOf(shard);
        resume = () => master.resume();
        await master.pause();
      },
      end: () => resume(),
    };
  }
}
