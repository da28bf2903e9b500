import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from './connect-redis.js';
import { NAMES_BEGIN_WITH } from './key-names.js';
import { keySlot } from './key-slot.js';

const DIAGNOSTICS = ['info', 'ping', 'time'];
const SCRIPTS_AND_GENERATIONS = ['eval', 'evalsha', 'get', 'set'];
const LOGS_AND_ANSWERS = ['del', 'pttl', 'pexpire', 'lindex', 'llen', 'ltrim', 'rpush'];

/** The commands that a program's user needs, and no others, on keys with our prefix. */
export const COMMANDS_OF = {
  api: [...DIAGNOSTICS, ...SCRIPTS_AND_GENERATIONS, ...LOGS_AND_ANSWERS],
  sync: [...DIAGNOSTICS, ...SCRIPTS_AND_GENERATIONS],
};
/** Additional commands on the nodes of a cluster. */
export const COMMANDS_ON_CLUSTER = ['cluster|slots', 'cluster|info', 'asking', 'readonly', 'readwrite'];
export const KEYS = `~${NAMES_BEGIN_WITH}*`;

const EXPIRY_MS = 1_000;
const NO_SCRIPT = '0'.repeat(40);

/** The arguments with which each command is tried; no data is left behind. Commands without an entry only take a key. */
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
/** Tried last, because they remove the key. */
const LAST = ['pexpire', 'del'];

export interface RedisUserRights {
  readonly user: string;
  /** In the syntax of `ACL SETUSER`. */
  readonly missing: readonly string[];
  /** Commands that the server does not know by these names. */
  readonly unknown: readonly string[];
}

/** Rights of this connection's user, on one server or on one master of a cluster. */
export async function missingRights(
  redis: RedisClient,
  server: Redis,
  commands: readonly string[],
): Promise<RedisUserRights> {
  const isCluster = redis instanceof Cluster;
  const key = isCluster ? keyOn(redis, server) : `${NAMES_BEGIN_WITH}doctor`;
  const { username, db: database = 0 } = server.options;
  const needed = [
    ...commands,
    ...(isCluster ? COMMANDS_ON_CLUSTER : []),
    ...(database > 0 ? [`select|${database}`] : []),
  ];
  const inOrder = [
    ...needed.filter((command) => !LAST.includes(command)),
    ...LAST.filter((command) => needed.includes(command)),
  ];
  const missing = new Set<string>();
  const unknown = new Set<string>();
  for (const command of inOrder) {
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
    // Any other error shows that the command was permitted: Redis checks rights first, even before the slot of a key.
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
