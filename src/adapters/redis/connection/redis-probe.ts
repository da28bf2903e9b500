import { once } from 'node:events';
import type { Cluster, Redis } from 'ioredis';
import { ConnectionProblem, connectRedis, isCluster, type RedisClient } from './connect-redis.js';
import { keySlot, NAMES_BEGIN_WITH } from './key-names.js';

const DIAGNOSTICS = ['info', 'ping', 'time'];
const SCRIPTS_AND_GENERATIONS = ['eval', 'evalsha', 'get', 'set'];
const LOGS_AND_ANSWERS = ['pttl', 'lindex', 'llen', 'ltrim', 'rpush', 'pexpire', 'del'];

/** The commands that each program needs; the last ones remove the key they were tried on. */
export const COMMANDS_OF = {
  api: [...DIAGNOSTICS, ...SCRIPTS_AND_GENERATIONS, ...LOGS_AND_ANSWERS],
  sync: [...DIAGNOSTICS, ...SCRIPTS_AND_GENERATIONS],
};
/** Additional commands on the nodes of a cluster. */
export const COMMANDS_ON_CLUSTER = ['cluster|slots', 'cluster|info', 'asking', 'readonly', 'readwrite'];
export const KEYS = `~${NAMES_BEGIN_WITH}*`;

const EXPIRY_MS = 1_000;
const NO_SCRIPT = '0'.repeat(40);

/** Commands without an entry only take a key. */
const ARGUMENTS: Readonly<Record<string, (key: string) => readonly (string | number)[]>> = {
  info: () => ['server'],
  ping: () => [],
  time: () => [],
  eval: () => ['return 1', 0],
  evalsha: () => [NO_SCRIPT, 0],
  set: (key) => [key, '', 'PX', EXPIRY_MS],
  pexpire: (key) => [key, EXPIRY_MS],
  lindex: (key) => [key, 0],
  ltrim: (key) => [key, 0, 0],
  rpush: (key) => [key, ''],
  asking: () => [],
  readonly: () => [],
  readwrite: () => [],
};

export interface RedisUserRights {
  readonly user: string;
  /** In the syntax of `ACL SETUSER`. */
  readonly missing: readonly string[];
  /** Commands that the server does not know by these names. */
  readonly unknown: readonly string[];
}

export interface RedisFacts {
  readonly version: string;
  readonly isReplica: boolean;
  /** 0: no limit other than the machine's memory. */
  readonly maxMemoryBytes: number;
  readonly evictionPolicy: string;
}

/** Checks Redis for an operator; nothing here ends by itself if Redis is frozen. */
export class RedisProbe {
  readonly #redis: RedisClient;
  readonly #connection: ConnectionProblem;

  constructor(urls: readonly string[]) {
    this.#redis = connectRedis(urls);
    // The first error reaches the caller that waits; later attempts fail in the same way.
    this.#connection = new ConnectionProblem(this.#redis);
  }

  /** 1, or the number of masters of a cluster. */
  async countServers(): Promise<number> {
    return (await this.#servers()).length;
  }

  /** On the server, or on each master of a cluster. */
  async rights(commands: readonly string[]): Promise<readonly RedisUserRights[]> {
    const servers = await this.#servers();
    return Promise.all(servers.map((server) => missingRights(this.#redis, server, commands)));
  }

  /** Of the server, or of each master of a cluster. */
  async facts(): Promise<readonly RedisFacts[]> {
    return Promise.all((await this.#servers()).map(factsOf));
  }

  close(): void {
    this.#redis.disconnect();
  }

  async #servers(): Promise<readonly Redis[]> {
    if (this.#redis.status !== 'ready') {
      await once(this.#redis, 'ready').catch((error: Error) => {
        throw new Error(this.#connection.last ?? error.message);
      });
    }
    return isCluster(this.#redis) ? this.#redis.nodes('master') : [this.#redis];
  }
}

async function factsOf(redis: Redis): Promise<RedisFacts> {
  const info = await redis.info();
  const field = (name: string) => new RegExp(`^${name}:(.*)\r$`, 'm').exec(info)?.[1] ?? '';
  return {
    version: field('redis_version'),
    isReplica: field('role') === 'slave',
    maxMemoryBytes: Number(field('maxmemory')),
    evictionPolicy: field('maxmemory_policy'),
  };
}

/** Rights of this connection's user, on one server or on one master of a cluster. */
async function missingRights(
  redis: RedisClient,
  server: Redis,
  commands: readonly string[],
): Promise<RedisUserRights> {
  const key = isCluster(redis) ? keyOn(redis, server) : `${NAMES_BEGIN_WITH}doctor`;
  const { username, db: database = 0 } = server.options;
  const needed = [
    ...commands,
    ...(isCluster(redis) ? COMMANDS_ON_CLUSTER : []),
    ...(database > 0 ? [`select|${database}`] : []),
  ];
  const missing = new Set<string>();
  const unknown = new Set<string>();
  for (const command of needed) {
    const refused = await refusal(server, command, key);
    if (refused === 'command') missing.add(`+${command.replace(/^select.*/, 'select')}`);
    if (refused === 'key') missing.add(KEYS);
    if (refused === 'unknown') unknown.add(command);
  }
  return { user: username || 'default', missing: [...missing], unknown: [...unknown] };
}

async function refusal(
  server: Redis,
  command: string,
  key: string,
): Promise<'command' | 'key' | 'unknown' | null> {
  const [name = '', ...subcommand] = command.split('|');
  const args = subcommand.length > 0 ? subcommand : (ARGUMENTS[command]?.(key) ?? [key]);
  try {
    await server.call(name, ...args);
  } catch (error) {
    const { message } = error as Error;
    if (/^ERR unknown (sub)?command/i.test(message)) return 'unknown';
    // Redis checks rights first, so any other error shows that the command was permitted.
    if (!message.startsWith('NOPERM')) return null;
    return /permissions to access/i.test(message) ? 'key' : 'command';
  }
  return null;
}

function keyOn(cluster: Cluster, { options: { host, port } }: Redis): string {
  for (let n = 0; ; n++) {
    const key = `${NAMES_BEGIN_WITH}doctor:${n}`;
    if (cluster.slots[keySlot(key)]?.[0] === `${host}:${port}`) return key;
  }
}
