import { Cluster, Redis } from 'ioredis';
import { isSentinelUrl, sentinelAddress } from './sentinel-address.js';

export type RedisClient = Redis | Cluster;

const RETRY_MS = 200;
export const CONNECT_TIMEOUT_MS = 1_000;
/** The time that a connection has to close by itself. */
const DISCONNECT_TIMEOUT_MS = 100;

/** Moving any key of a slot takes less. */
const TRY_AGAIN_MS = 20;

/** One to the master that has a slot, and one more while a slot moves. */
const MAX_REDIRECTIONS = 3;

/**
 * By default, ioredis waits and replays commands; a request has to fail at once if Redis is unavailable. There is no limit for replies:
 * if the process was busy for that long, ioredis would close the connection before it reads the replies that have arrived.
 */
const FAIL_AT_ONCE = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  disconnectTimeout: DISCONNECT_TIMEOUT_MS,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  // A user with the least rights may not set it: each connection would cause one refusal.
  disableClientInfo: true,
};

const ONE_NODE_OF_A_CLUSTER =
  'The server is a node of a Redis Cluster: write two of its nodes, separated by a comma, or its only address twice';

const ONE_SERVER = { ...FAIL_AT_ONCE, enableOfflineQueue: false, retryStrategy: () => RETRY_MS };

/**
 * One address: that server, with its password, TLS (`rediss:`) and database number, or the master that sentinels name. Several addresses:
 * nodes of one cluster.
 */
export function connectRedis(urls: readonly string[]): RedisClient {
  const [first = '', ...others] = urls;
  if (isSentinelUrl(first)) return connectToMaster(first);
  if (others.length === 0) return reconnectIfUnusable(new Redis(first, ONE_SERVER));
  const { username, password, protocol } = new URL(first);
  const cluster = new Cluster([...urls], {
    enableOfflineQueue: false,
    // `enableAutoPipelining` is off: it sends nothing more to a master that owes a reply, and the reply may never arrive. A command that
    // was sent to a connection that closed may have been executed. A redirection (MOVED, ASK) shows that it was not.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // A slot is being moved, and some of the command's keys have not arrived. The command was not executed.
    retryDelayOnTryAgain: TRY_AGAIN_MS,
    maxRedirections: MAX_REDIRECTIONS,
    clusterRetryStrategy: () => RETRY_MS,
    slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
    slotsRefreshInterval: CONNECT_TIMEOUT_MS,
    // A certificate may contain the host name and not its address. The name is resolved for each connection.
    dnsLookup: (host, found) => found(null, host),
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
 * Connects at once: while the first command opens the connection, all others would be rejected. It waits until the cluster is ready: the
 * cluster checks that by a command of its own, which would be rejected as well and start it over. A failure is reported as an error of the
 * cluster.
 */
function connectToEachNode(cluster: Cluster): void {
  const connect = (node: Redis) => {
    if (cluster.status === 'ready' && node.status === 'wait') void node.connect().catch(() => {});
  };
  cluster.on('ready', () => cluster.nodes().forEach(connect));
  cluster.on('+node', connect);
}

/** Sentinels are asked again for each connection. A connection to a server that is not a master is closed at once. */
function connectToMaster(url: string): Redis {
  const { sentinels, master, database, hasTls, ...accounts } = sentinelAddress(url);
  const redis = new Redis({
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

/**
 * ioredis would continue in database 0 if it cannot select another one. It would also continue with a node of a cluster, which refuses
 * commands for other nodes. An error reports which case it is, and the connection is attempted again.
 */
function reconnectIfUnusable(redis: Redis): Redis {
  redis.on('error', (error: Error & { readonly command?: { readonly name: string } }) => {
    if (error.command?.name === 'select') redis.disconnect(true);
  });
  redis.on('connect', async () => {
    // This reply arrives before the one that makes the connection ready.
    const info = await redis.info('cluster').catch(() => '');
    if (!info.includes('cluster_enabled:1')) return;
    redis.emit('error', new Error(ONE_NODE_OF_A_CLUSTER));
    redis.disconnect(true);
  });
  return redis;
}
