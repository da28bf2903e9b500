import { redisUrls as readRedisUrls } from '../../adapters/redis/connection/redis-urls.js';
import { isMysqlUrl, MYSQL_EXAMPLE, mysqlUrl } from '../../adapters/sql/mysql/mysql-url.js';
import { isPostgresUrl, POSTGRES_EXAMPLE, postgresUrl } from '../../adapters/sql/postgres/postgres-urls.js';
import { LOG_LEVELS, type LogLevel } from '../../adapters/system/log-levels.js';
import { readEndpoints } from '../../adapters/webhooks/read-endpoints.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import { address, hostName, oneOf, seconds, secondsIfSet, setting, wholeNumber } from './setting.js';

/** The first program on a machine uses it. */
export const DEFAULT_ADMIN_PORT = 3001;
const PORTS = [0, 65_535] as const;
const UP_TO_A_YEAR = [0, 31_536_000] as const;

/** Without a URL nothing is shared, or the program that needs it reports that it is missing. */
const NO_URL: string | null = null;
const NO_URLS: readonly string[] | null = null;
const NONE: readonly string[] = [];

const DASHBOARD_EXAMPLES = `${POSTGRES_EXAMPLE} or ${MYSQL_EXAMPLE}`;
/** The protocol of the address selects the kind of database. */
function dashboardUrl(text: string): string {
  if (isPostgresUrl(text)) return postgresUrl(text);
  if (isMysqlUrl(text)) return mysqlUrl(text);
  throw new Error(`must be a URL such as ${DASHBOARD_EXAMPLES}`);
}

/** All that the programs read from the environment. */
export const SETTINGS = {
  port: wholeNumber('PORT', 3000, PORTS, 'public port (0: any free one)'),
  host: setting('HOST', '0.0.0.0', hostName, 'address of the public port; default of embedded: 127.0.0.1'),
  adminPort: {
    ...wholeNumber('ADMIN_PORT', DEFAULT_ADMIN_PORT, PORTS, "operators' port (0: any free one)"),
    /** 3001, or another one if that is taken. */
    defaultValue: null as number | null,
  },
  adminHost: setting('ADMIN_HOST', '127.0.0.1', hostName, "address of the operators' port"),
  drainMs: seconds('DRAIN_SECONDS', 0, [0, 300], 'serving after a stop signal, while /readyz returns 503'),
  rateLimitMax: wholeNumber('RATE_LIMIT_MAX', 100, [1, 10_000_000], 'requests of a key in one window'),
  rateLimitWindowMs: seconds('RATE_LIMIT_WINDOW_SECONDS', 60, [1, 86_400], 'length of the sliding window'),
  cacheListTtlMs: seconds(
    'CACHE_LIST_TTL_SECONDS',
    300,
    UP_TO_A_YEAR,
    'how long answers with lists of blogs, categories and tags are cached (0: not at all)',
  ),
  cacheDetailTtlMs: seconds(
    'CACHE_DETAIL_TTL_SECONDS',
    900,
    UP_TO_A_YEAR,
    'how long answers with one blog are cached (0: not at all)',
  ),
  staleIfErrorMs: seconds(
    'STALE_IF_ERROR_SECONDS',
    60,
    UP_TO_A_YEAR,
    'how long the last known answers are served while the read tables do not answer; they may be outdated (0: not at all)',
  ),
  maxSyncAgeMs: secondsIfSet(
    'MAX_SYNC_AGE_SECONDS',
    [1, 31_536_000],
    'how old the last beat of a sync worker may be in the read tables before each request gets a 500; default: 60 on a standby, no limit on a primary',
  ),
  readDatabaseUrl: address('READ_DATABASE_URL', NO_URL, postgresUrl, `read tables: ${POSTGRES_EXAMPLE}`),
  writeDatabaseUrl: address(
    'WRITE_DATABASE_URL',
    NO_URL,
    dashboardUrl,
    `the dashboard's database: ${DASHBOARD_EXAMPLES}`,
  ),
  dashboardMapping: setting<string | null>(
    'DASHBOARD_MAPPING',
    null,
    (text) => text,
    "the file that maps the dashboard's own tables; default: the reference schema",
  ),
  redisUrls: address('REDIS_URL', NO_URLS, readRedisUrls, 'shared cache and limits; default: in memory'),
  redisCacheUrls: address('REDIS_CACHE_URL', NO_URLS, readRedisUrls, 'Redis for answers; default: REDIS_URL'),
  extensions: setting(
    'EXTENSIONS',
    NONE,
    (text) => text.split(',').map((module) => module.trim()),
    'modules with adapters, health checks and middleware of your own; paths from the working directory, or names of packages, separated by commas',
  ),
  syncPollMs: wholeNumber('SYNC_POLL_MS', 100, [10, 60_000], 'longest wait between two polls for changes'),
  webhooks: setting<readonly WebhookEndpoint[]>(
    'WEBHOOKS',
    [],
    readEndpoints,
    'the file that says who is told after a publication, by the sync worker; default: nobody',
  ),
  logLevel: setting<LogLevel>('LOG_LEVEL', 'info', oneOf(LOG_LEVELS), LOG_LEVELS.join(', ')),
  /** Null: pretty if it goes to a terminal. */
  logPretty: setting<boolean | null>(
    'LOG_PRETTY',
    null,
    (text) => ['true', '1'].includes(oneOf(['true', 'false', '1', '0'])(text)),
    'log lines for people instead of JSON; true or false; default: true at a terminal',
  ),
};
