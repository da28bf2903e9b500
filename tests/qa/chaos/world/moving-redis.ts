import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { eventually } from '../../../../src/contracts/support/eventually.js';
import { TcpProxy } from '../../../support/network/tcp-proxy.js';
import type { RedisMachine } from '../../../support/redis/redis-machine.js';
import { RedisServer } from '../../../support/redis/redis-server.js';
import type { Fault, Faults } from '../fault-plan.js';

const HICCUPS_MS = [100, 300, 200, 150, 250];
const BETWEEN_HICCUPS_MS = 400;

interface Member {
  readonly server: RedisServer;
  readonly operator: Redis;
}

/** A primary with a replica, and an address that leads to the current primary. */
export class MovingRedis {
  private constructor(
    private readonly address: TcpProxy,
    private primary: Member,
    private replica: Member,
  ) {}

  static async start(machine: RedisMachine): Promise<MovingRedis> {
    const [primary, replica] = [await memberOn(machine), await memberOn(machine)];
    await follow(replica, primary);
    return new MovingRedis(await TcpProxy.before(primary.server.port), primary, replica);
  }

  get url(): string {
    return this.address.url(this.primary.server.url);
  }

  /** Each fault leaves the connections to the old primary open, which answers READONLY on them. */
  get faults(): Faults {
    return {
      'demoted, and its address moved': this.#moved(async () => {}),
      'demoted, and its address moved to a replica that lacks the last seconds': this.#moved(() =>
        this.#stopReplicating(),
      ),
      'restarted empty': {
        begin: () => this.primary.server.kill(),
        end: () => this.primary.server.startEmpty(),
      },
      'hiccups of 100 to 300 ms': { begin: () => this.#hiccup(), end: async () => {} },
      frozen: { begin: async () => this.address.freeze(), end: async () => this.address.release() },
    };
  }

  forget(): void {
    this.address.forget();
  }

  async stop(): Promise<void> {
    await this.address.stop();
    for (const { operator, server } of [this.primary, this.replica]) {
      operator.disconnect();
      await server.stop();
    }
  }

  #moved(before: () => Promise<void>): Fault {
    return {
      begin: before,
      end: async () => {
        const [old, next] = [this.primary, this.replica];
        await next.operator.call('REPLICAOF', 'NO', 'ONE');
        this.address.moveTo(next.server.port);
        [this.primary, this.replica] = [next, old];
        await follow(old, next);
      },
    };
  }

  async #stopReplicating(): Promise<void> {
    await this.replica.operator.call('REPLICAOF', 'NO', 'ONE');
  }

  async #hiccup(): Promise<void> {
    for (const lasts of HICCUPS_MS) {
      this.address.freeze();
      await pause(lasts);
      this.address.release();
      await pause(BETWEEN_HICCUPS_MS);
    }
  }
}

async function memberOn(machine: RedisMachine): Promise<Member> {
  const server = await RedisServer.start(machine, { settings: { 'repl-diskless-sync-delay': 0 } });
  const operator = new Redis(server.url);
  operator.on('error', () => {});
  return { server, operator };
}

async function follow(replica: Member, primary: Member): Promise<void> {
  await replica.operator.call('REPLICAOF', '127.0.0.1', primary.server.port);
  await eventually(async () => {
    if (!/master_link_status:up/.test(await replica.operator.info('replication')))
      throw new Error('No replica');
  });
}
