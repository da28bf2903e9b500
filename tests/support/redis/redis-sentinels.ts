import { Redis } from 'ioredis';
import { eventually } from '../../../src/contracts/support/eventually.js';
import type { RedisMachine } from './redis-machine.js';
import { RedisServer, type RedisServerOptions, type ServersOfOneKind } from './redis-server.js';
import { sharedServers } from './test-redis.js';

const SENTINELS = 3;
const QUORUM = 2;
const DOWN_AFTER_MS = 1_000;
export const MASTER = 'the-master';

interface Options extends ServersOfOneKind {
  /** Additional settings of the sentinels. */
  readonly sentinel?: readonly string[];
}

export interface Member {
  readonly server: RedisServer;
  readonly client: Redis;
}

/** A master with a replica, and three sentinels that monitor them. */
export class RedisSentinels {
  private constructor(
    private readonly members: readonly Member[],
    private readonly sentinels: readonly Member[],
  ) {}

  static async start(machine: RedisMachine, options: Options = {}): Promise<RedisSentinels> {
    const { servers = {}, sentinel = [], connection = {} } = options;
    const memberWith = async (more: RedisServerOptions): Promise<Member> => {
      const settings = { ...servers.settings, ...more.settings };
      const server = await RedisServer.start(machine, { ...servers, ...more, settings });
      const client = new Redis({ port: server.port, ...connection, retryStrategy: () => 100 });
      client.on('error', () => {});
      return { server, client };
    };
    const master = await memberWith({ settings: { 'repl-diskless-sync-delay': 0 } });
    const replica = await memberWith({
      settings: { 'repl-diskless-sync-delay': 0, replicaof: `127.0.0.1 ${master.server.port}` },
    });
    const watched = [
      `sentinel monitor ${MASTER} 127.0.0.1 ${master.server.port} ${QUORUM}`,
      `sentinel down-after-milliseconds ${MASTER} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${MASTER} 3000`,
      ...sentinel,
    ];
    const started = await Promise.all(
      Array.from({ length: SENTINELS }, () => memberWith({ sentinel: watched })),
    );
    const sentinels = new RedisSentinels([master, replica], started);
    await sentinels.whole();
    return sentinels;
  }

  /** The value of REDIS_URL. */
  get url(): string {
    return this.urlWith();
  }

  urlWith({ protocol = 'sentinel', account = '', parameters = '' } = {}): string {
    const hosts = this.sentinels.map(({ server }) => `127.0.0.1:${server.port}`);
    return `${protocol}://${account}${hosts.join(',')}/${MASTER}${parameters}`;
  }

  get sentinelServers(): readonly RedisServer[] {
    return this.sentinels.map(({ server }) => server);
  }

  /** The server that accepts writes. Throws while there is none. */
  async master(): Promise<Member> {
    for (const member of this.members) {
      const [role] = (await member.client.role().catch(() => [''])) as [string];
      if (role === 'master') return member;
    }
    throw new Error('No server is a master');
  }

  /** The other server. */
  otherThan({ server }: Member): Member {
    return this.members.find((member) => member.server !== server) as Member;
  }

  /** A failover that an operator requests. */
  async failOver(): Promise<void> {
    await this.sentinels[0]?.client.call('SENTINEL', 'FAILOVER', MASTER);
  }

  /** Waits until there are a master and a replica that follows it, and all sentinels have this state. */
  async whole(): Promise<void> {
    await eventually(async () => {
      const { server, client } = await this.master();
      if (!/connected_slaves:1.*state=online/s.test(await client.info('replication')))
        throw new Error('No replica');
      for (const sentinel of this.sentinels) await expectInformed(sentinel.client, server.port);
    });
  }

  async stop(): Promise<void> {
    for (const { client } of [...this.sentinels, ...this.members]) client.disconnect();
    await Promise.all([...this.sentinels, ...this.members].map(({ server }) => server.stop()));
  }
}

/**
 * Expects that the sentinel has found the master, its replica and the other sentinels, so that a failover can begin.
 */
async function expectInformed(sentinel: Redis, port: number): Promise<void> {
  const fields = (await sentinel.call('SENTINEL', 'MASTER', MASTER)) as string[];
  const field = (name: string) => fields[fields.indexOf(name) + 1];
  const known = {
    port: field('port'),
    flags: field('flags'),
    replicas: field('num-slaves'),
    sentinels: field('num-other-sentinels'),
  };
  const expected = { port: `${port}`, flags: 'master', replicas: '1', sentinels: `${SENTINELS - 1}` };
  if (JSON.stringify(known) !== JSON.stringify(expected)) {
    throw new Error(`A sentinel has only found ${JSON.stringify(known)}`);
  }
}

/** Sentinels that the tests of the surrounding `describe` share. */
export function sharedSentinels(options: Options = {}): () => RedisSentinels {
  return sharedServers((machine) => RedisSentinels.start(machine, options));
}
