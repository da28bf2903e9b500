import { eventually } from '../../../../src/contracts/support/eventually.js';
import type { RedisMachine } from '../../../support/redis/redis-machine.js';
import { type Member, RedisSentinels } from '../../../support/redis/redis-sentinels.js';
import type { Fault, Faults } from '../fault-plan.js';

/** A master with a replica and three sentinels, of which one server fails at a time. */
export class FailingSentinels {
  private constructor(private readonly sentinels: RedisSentinels) {}

  static async start(machine: RedisMachine): Promise<FailingSentinels> {
    return new FailingSentinels(await RedisSentinels.start(machine));
  }

  get url(): string {
    return this.sentinels.url;
  }

  /** After each fault all servers are available again. */
  get faults(): Faults {
    const faults: Faults = {
      'master killed, its replica promoted': this.#withMaster({
        begin: ({ server }) => server.kill(),
        end: (master) => this.#replace(master),
      }),
      'master killed, a replica promoted that lacks the last writes': this.#withMaster({
        begin: (master) => this.sentinels.otherThan(master).server.pause(),
        end: async (master) => {
          await master.server.kill();
          await this.sentinels.otherThan(master).server.resume();
          await this.#replace(master);
        },
      }),
      // If the fault lasts long enough, the replica is promoted, and writes to the frozen master in the meantime are
      // lost.
      'master frozen': this.#withMaster({
        begin: ({ server }) => server.pause(),
        end: ({ server }) => server.resume(),
      }),
      'replica promoted by an operator': this.#withMaster({
        begin: () => this.sentinels.failOver(),
        end: async () => {},
      }),
      'first sentinel killed': {
        begin: async () => this.sentinels.sentinelServers[0]?.kill(),
        end: async () => this.sentinels.sentinelServers[0]?.startEmpty(),
      },
    };
    return Object.fromEntries(
      Object.entries(faults).map(([name, { begin, end }]) => [
        name,
        { begin, end: () => end().then(() => this.sentinels.whole()) },
      ]),
    );
  }

  forget(): void {}

  stop(): Promise<void> {
    return this.sentinels.stop();
  }

  #withMaster(fault: { begin(master: Member): Promise<void>; end(master: Member): Promise<void> }): Fault {
    let master: Member;
    return {
      begin: async () => {
        master = await this.sentinels.master();
        await fault.begin(master);
      },
      end: () => fault.end(master),
    };
  }

  /** The server comes back once the other one has been promoted. */
  async #replace(dead: Member): Promise<void> {
    const successor = this.sentinels.otherThan(dead);
    await eventually(async () => {
      const [role] = (await successor.client.role()) as [string];
      if (role !== 'master') throw new Error('No replica has been promoted');
    });
    await dead.server.startEmpty();
  }
}
