import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Cluster, Redis } from 'ioredis';
import { isSentinelUrl, sentinelAddress } from './redis-urls.js';

export type RedisClient = Redis | Cluster;

/** Loaded when it is used, because a program without Redis starts faster. */
const ioredis = (): typeof import('ioredis') => createRequire(import.meta.url)('ioredis');

const RETRY_MS = 200;
const CONNECT_TIMEOUT_MS = 1_000;
/** The first attempt has ended by then, so the first warning has its cause. */
const READY_TIMEOUT_MS = CONNECT_TIMEOUT_MS + 500;
/** The time that a connection has to close by itself. */
const DISCONNECT_TIMEOUT_MS = 100;

/** Moving any key of a slot takes less. */
const TRY_AGAIN_MS = 20;

/** One to the master that has a slot, and one more while a slot moves. */
const MAX_REDIRECTIONS = 3;

/**
 * ioredis would wait and replay; a request has to fail at once. No limit for replies: a busy
 * process would close the connection before it reads the replies that have arrived.
 */
const FAIL_AT_ONCE = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  disconnectTimeout: DISCONNECT_TIMEOUT_MS,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  // A user with the least rights may not set it: each connection would cause one refusal.
  disableClientInfo: true,
};

const ONE_SERVER = { ...FAIL_AT_ONCE, enableOfflineQueue: false, retryStrategy: () => RETRY_MS };

export function isCluster(redis: RedisClient): redis is Cluster {
  return redis.isCluster;
}

/** One address: a server, or the master that sentinels name. Several: nodes of a cluster. */
export function connectRedis(urls: readonly string[]): RedisClient {
  const [first = '', ...otherUrls] = urls;
  if (isSentinelUrl(first)) return connectToMaster(first);
  if (otherUrls.length === 0) return reconnectIfUnusable(new (ioredis().Redis)(first, ONE_SERVER));
  const { username, password, protocol } = new URL(first);
  const cluster = new (ioredis().Cluster)([...urls], {
    enableOfflineQueue: false,
    // No `enableAutoPipelining`: it sends nothing more to a master that owes a reply. Only a
    // redirection (MOVED, ASK) shows that a command was not executed.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // While a slot is being moved, a command with keys on both nodes is not executed.
    retryDelayOnTryAgain: TRY_AGAIN_MS,
    maxRedirections: MAX_REDIRECTIONS,
    clusterRetryStrategy: () => RETRY_MS,
    slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
    slotsRefreshInterval: CONNECT_TIMEOUT_MS,
    // A certificate may have the host name without the address, so the name is kept.
    dnsLookup: (host, callback) => callback(null, host),
    redisOptions: {
      ...FAIL_AT_ONCE,
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: {} }),
    },
  });
  connectToEachNode(cluster);
  return cluster;
}

/**
 * Connects at once, because all but the first command would be rejected. Waits until the cluster is
 * ready, which a command of the cluster itself checks.
 */
function connectToEachNode(cluster: Cluster): void {
  const connect = (node: Redis) => {
    if (cluster.status === 'ready' && node.status === 'wait') void node.connect().catch(() => {});
  };
  cluster.on('ready', () => cluster.nodes().forEach(connect));
  cluster.on('+node', connect);
}

/** Sentinels are asked for each connection; one to a server that is no master is closed. */
function connectToMaster(url: string): Redis {
  const { sentinels, master, database, hasTls, ...accounts } = sentinelAddress(url);
  const redis = new (ioredis().Redis)({
    ...ONE_SERVER,
    ...accounts,
    sentinels: [...sentinels],
    name: master,
    db: database,
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
    sentinelRetryStrategy: () => RETRY_MS,
    ...(hasTls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  });
  return reconnectIfUnusable(redis);
}

/** ioredis would continue in database 0. */
function reconnectIfUnusable(redis: Redis): Redis {
  redis.on('error', (error: Error & { readonly command?: { readonly name: string } }) => {
    if (error.command?.name === 'select') redis.disconnect(true);
  });
  return redis;
}

/** Resolves when it is connected, or when it is clear that this takes longer. */
export async function connectedInTime(redis: RedisClient): Promise<void> {
  const signal = AbortSignal.timeout(READY_TIMEOUT_MS);
  const ready = async (one: RedisClient) => one.status === 'ready' || (await once(one, 'ready', { signal }));
  const masters = () => (isCluster(redis) ? redis.nodes('master') : []);
  await ready(redis)
    .then(() => Promise.all(masters().map(ready)))
    .catch(() => {});
}

/** The address may lead to another server by now, while the old server keeps its connections. */
export function reconnect(redis: RedisClient, address: string): void {
  const nodes = isCluster(redis) ? redis.nodes() : [redis];
  for (const node of nodes) {
    const { host, port } = node.options;
    const isThere = address === '' || `${host}:${port}` === address;
    if (isThere && ['ready', 'connect'].includes(node.status)) node.disconnect(true);
  }
}

/** Why there is no connection, in words for an operator and without secrets. */
export class ConnectionProblem {
  #last: string | null = null;
  #ofSentinel: string | null = null;

  constructor(redis: RedisClient, report: (problem: string) => void = () => {}) {
    redis.on('sentinelError', (error: Error) => {
      this.#ofSentinel = error.message;
    });
    redis.on('error', (error: Error) => {
      // These are commands in progress when the connection was closed, as reported before.
      if (error.message.startsWith('Stream isn')) return;
      this.#last = withoutSecrets(this.#causeOf(error));
      report(this.#last);
    });
    redis.on('ready', () => {
      // The connection may have been closed in the meantime.
      if (redis.status === 'ready') this.#last = null;
    });
  }

  /** The problem of the last attempt to connect; null: none since the last connection. */
  get last(): string | null {
    return this.#last;
  }

  /** Some errors of the client replace several others without naming them. */
  #causeOf(error: Error & { readonly lastNodeError?: Error | null }): string {
    const { message, lastNodeError } = error;
    if (lastNodeError) return `${message} ${lastNodeError.message}`;
    const isOfSentinels = message.startsWith('All sentinels are unreachable');
    return isOfSentinels && this.#ofSentinel !== null ? this.#ofSentinel : message;
  }
}

/** A server quotes unknown commands with their arguments, which may be the password. */
function withoutSecrets(message: string): string {
  return message.replace(/,? with args beginning with.*$/s, '');
}
