import {
  POSTGRES_EXAMPLE,
  postgresUrl,
  postgresUrls,
} from '../../adapters/postgres/connection/postgres-urls.js';
import { redisUrls as readRedisUrls } from '../../adapters/redis/connection/redis-urls.js';
import { LOG_LEVELS, type LogLevel } from '../../adapters/system/log-levels.js';
import { readEndpoints } from '../../adapters/webhooks/read-endpoints.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import {
  address,
  DASHBOARD_EXAMPLES,
  dashboardUrl,
  hostName,
  oneOf,
  optional,
  plain,
  type Setting,
  seconds,
  wholeNumber,
} from './setting.js';

/** The first program on a machine uses it. */
export const DEFAULT_ADMIN_PORT = 3001;
const PORTS = [0, 65_535] as const;
const UP_TO_A_YEAR = [0, 31_536_000] as const;
const unchanged = (text: string) => text;

export const LOG = {
  logLevel: plain<LogLevel>(
    'LOG_LEVEL',
    `what is logged; ${LOG_LEVELS.join(', ')}`,
    'info',
    oneOf(LOG_LEVELS),
  ),
  /** Null: pretty if it goes to a terminal. */
  logPretty: plain<boolean | null>(
    'LOG_PRETTY',
    'log lines for people instead of JSON; true or false',
    null,
    (text) => ['true', '1'].includes(oneOf(['true', 'false', '1', '0'])(text)),
    'true at a terminal',
  ),
};

export const OPERATIONS = {
  /** Null: 3001, or another one if that is taken. */
  adminPort: optional(
    wholeNumber(
      'ADMIN_PORT',
      "operators' port: health, readiness, metrics (0: any free one)",
      DEFAULT_ADMIN_PORT,
      PORTS,
    ),
  ),
  adminHost: plain('ADMIN_HOST', "address that the operators' port binds to", '127.0.0.1', hostName),
};

/** Of each API. */
export const SERVING = {
  ...LOG,
  ...OPERATIONS,
  port: wholeNumber('PORT', 'public port (0: any free one)', 3000, PORTS),
  host: plain(
    'HOST',
    'address that the public port binds to',
    '0.0.0.0',
    hostName,
    '0.0.0.0 (embedded: 127.0.0.1)',
  ),
  drainMs: seconds(
    'DRAIN_SECONDS',
    'how long the API keeps serving requests after a stop signal, while /readyz returns 503',
    0,
    [0, 300],
  ),
  rateLimitMax: wholeNumber(
    'RATE_LIMIT_MAX',
    'requests that a key may make in one window',
    100,
    [1, 10_000_000],
  ),
  rateLimitWindowMs: seconds('RATE_LIMIT_WINDOW_SECONDS', 'length of the sliding window', 60, [1, 86_400]),
  cacheListTtlMs: seconds(
    'CACHE_LIST_TTL_SECONDS',
    'how long answers with lists of blogs, categories and tags are cached (0: not at all)',
    300,
    UP_TO_A_YEAR,
  ),
  cacheDetailTtlMs: seconds(
    'CACHE_DETAIL_TTL_SECONDS',
    'how long answers with one blog are cached (0: not at all)',
    900,
    UP_TO_A_YEAR,
  ),
  staleIfErrorMs: seconds(
    'STALE_IF_ERROR_SECONDS',
    'how long the last known answers are served while no server of the read tables answers; they may be outdated (0: not at all)',
    60,
    UP_TO_A_YEAR,
  ),
};
export const embeddedHost: Setting<string> = { ...SERVING.host, ifMissing: { value: '127.0.0.1' } };

export const readDatabaseUrl = address('READ_DATABASE_URL', 'read tables (PostgreSQL)', postgresUrl, {
  required: `a PostgreSQL database, such as ${POSTGRES_EXAMPLE}`,
});
export const readReplicaUrls = address<readonly string[]>(
  'READ_REPLICA_URLS',
  'standbys of READ_DATABASE_URL from which content is read, separated by commas; default: content is read from READ_DATABASE_URL',
  postgresUrls,
  { value: [] },
);
export const writeDatabaseUrl = address(
  'WRITE_DATABASE_URL',
  "the dashboard's database (PostgreSQL, MariaDB or MySQL); the API never needs it",
  dashboardUrl,
  { required: `the dashboard's database, such as ${DASHBOARD_EXAMPLES}` },
);

export const dashboardMapping = plain<string | null>(
  'DASHBOARD_MAPPING',
  "the file that maps the dashboard's own tables; default: the reference schema",
  null,
  unchanged,
  '–',
);

export const REDIS = {
  redisUrls: address<readonly string[] | null>(
    'REDIS_URL',
    'cache and rate limit of several API processes: a server, nodes of a cluster separated by commas, or sentinel://…; ' +
      'default: kept in memory, for one process only',
    readRedisUrls,
    { value: null },
  ),
  redisCacheUrls: address<readonly string[] | null>(
    'REDIS_CACHE_URL',
    'another Redis for cached answers, in the same forms, so that evicting answers never evicts request logs; default: answers are ' +
      'in REDIS_URL too',
    readRedisUrls,
    { value: null },
  ),
};

export const extensions = plain<readonly string[]>(
  'EXTENSIONS',
  'modules with adapters, health checks and middleware of your own; paths from the working directory, or names of packages, separated by ' +
    'commas',
  [],
  (text) => text.split(',').map((module) => module.trim()),
  '–',
);

export const syncPollMs = wholeNumber(
  'SYNC_POLL_MS',
  'longest time between two polls of the change capture by the sync worker',
  100,
  [10, 60_000],
);

export const webhooks = plain<readonly WebhookEndpoint[]>(
  'WEBHOOKS',
  'the file that says who is told after a publication, by the sync worker; default: nobody',
  [],
  readEndpoints,
  '–',
);
