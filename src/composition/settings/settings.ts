import {
  POSTGRES_EXAMPLE,
  postgresUrl,
  postgresUrls,
} from '../../adapters/postgres/connection/postgres-urls.js';
import { redisUrls as readRedisUrls } from '../../adapters/redis/connection/redis-urls.js';
import { LOG_LEVELS } from '../../adapters/system/log-levels.js';
import {
  address,
  DASHBOARD_EXAMPLES,
  DEFAULT_ADMIN_PORT,
  dashboardUrl,
  filePath,
  hostName,
  moduleList,
  oneOf,
  optional,
  plain,
  type Setting,
  seconds,
  trueOrFalse,
  wholeNumber,
} from './setting.js';

const MAX_PORT = 65_535;
const A_YEAR_IN_SECONDS = 31_536_000;

export const LOG = {
  logLevel: oneOf('LOG_LEVEL', 'what is logged', LOG_LEVELS, 'info'),
  /** Null: pretty if it goes to a terminal. */
  logPretty: plain<boolean | null>(
    'LOG_PRETTY',
    'log lines for people instead of JSON; true or false',
    null,
    trueOrFalse,
    'true at a terminal',
  ),
};

export const OPERATIONS = {
  /** Null: 3001 if it is free. */
  adminPort: optional(
    wholeNumber('ADMIN_PORT', "operators' port: health, readiness, metrics (0: any free one)", {
      from: 0,
      to: MAX_PORT,
      defaultValue: DEFAULT_ADMIN_PORT,
    }),
  ),
  adminHost: plain('ADMIN_HOST', "address that the operators' port binds to", '127.0.0.1', hostName),
};

/** Of each API. */
export const SERVING = {
  ...LOG,
  ...OPERATIONS,
  port: wholeNumber('PORT', 'public port (0: any free one)', {
    from: 0,
    to: MAX_PORT,
    defaultValue: 3000,
  }),
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
    { from: 0, to: 300, defaultValue: 0 },
  ),
  rateLimitMax: wholeNumber('RATE_LIMIT_MAX', 'requests that a key may make in one window', {
    from: 1,
    to: 10_000_000,
    defaultValue: 100,
  }),
  rateLimitWindowMs: seconds('RATE_LIMIT_WINDOW_SECONDS', 'length of the sliding window', {
    from: 1,
    to: 86_400,
    defaultValue: 60,
  }),
  cacheListTtlMs: seconds(
    'CACHE_LIST_TTL_SECONDS',
    'how long answers with lists of blogs, categories and tags are cached (0: not at all)',
    { from: 0, to: A_YEAR_IN_SECONDS, defaultValue: 300 },
  ),
  cacheDetailTtlMs: seconds(
    'CACHE_DETAIL_TTL_SECONDS',
    'how long answers with one blog are cached (0: not at all)',
    { from: 0, to: A_YEAR_IN_SECONDS, defaultValue: 900 },
  ),
  staleIfErrorMs: seconds(
    'STALE_IF_ERROR_SECONDS',
    'how long answers are served beyond their lifetime while the read tables are unavailable; they may be outdated (0: not at all)',
    { from: 0, to: A_YEAR_IN_SECONDS, defaultValue: 0 },
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
  filePath,
  '–',
);

export const REDIS = {
  redisUrls: address<readonly string[] | null>(
    'REDIS_URL',
    'cache, rate limit and invalidation of several API processes: a server, nodes of a cluster separated by commas, or sentinel://…; ' +
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
  moduleList,
  '–',
);

export const syncPollMs = wholeNumber(
  'SYNC_POLL_MS',
  'longest time between two polls of the change capture by the sync worker',
  { from: 10, to: 60_000, defaultValue: 100 },
);
