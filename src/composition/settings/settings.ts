import { LOG_LEVELS } from '../../adapters/system/log-levels.js';
import { dashboardUrl, postgresUrl, postgresUrlList, redisUrlList } from './address-setting.js';
import { DEFAULT_ADMIN_PORT } from './admin-port.js';
import {
  filePath,
  hostName,
  moduleList,
  oneOf,
  optional,
  type Setting,
  seconds,
  wholeNumber,
} from './setting.js';

const MAX_PORT = 65_535;
const A_YEAR_IN_SECONDS = 31_536_000;

export const port = wholeNumber('PORT', 'public port (0: any free one)', {
  from: 0,
  to: MAX_PORT,
  defaultValue: 3000,
});
export const host: Setting<string> = {
  ...hostName('HOST', 'address that the public port binds to', '0.0.0.0'),
  shownDefault: '0.0.0.0 (embedded: 127.0.0.1)',
};
export const embeddedHost: Setting<string> = { ...host, ifMissing: { value: '127.0.0.1' } };

/** Null: 3001 if it is free. */
export const adminPort: Setting<number | null> = {
  ...wholeNumber('ADMIN_PORT', "operators' port: health, readiness, metrics (0: any free one)", {
    from: 0,
    to: MAX_PORT,
    defaultValue: DEFAULT_ADMIN_PORT,
  }),
  ifMissing: { value: null },
};
export const adminHost = hostName('ADMIN_HOST', "address that the operators' port binds to", '127.0.0.1');
export const drainMs = seconds(
  'DRAIN_SECONDS',
  'how long the API keeps serving requests after a stop signal, while /readyz returns 503',
  { from: 0, to: 300, defaultValue: 0 },
);

export const readDatabaseUrl = postgresUrl('READ_DATABASE_URL', 'read tables (PostgreSQL)');
export const readReplicaUrls = postgresUrlList(
  'READ_REPLICA_URLS',
  'standbys of READ_DATABASE_URL from which content is read, separated by commas; default: content is read from READ_DATABASE_URL',
);
export const writeDatabaseUrl = dashboardUrl(
  'WRITE_DATABASE_URL',
  "the dashboard's database (PostgreSQL, MariaDB or MySQL); the API never needs it",
);
export const optionalWriteDatabaseUrl = optional(writeDatabaseUrl);

export const dashboardMapping = optional(
  filePath(
    'DASHBOARD_MAPPING',
    "the file that maps the dashboard's own tables; default: the reference schema",
  ),
);

export const redisUrls = optional(
  redisUrlList(
    'REDIS_URL',
    'cache, rate limit and invalidation of several API processes: a server, nodes of a cluster separated by commas, or sentinel://…; ' +
      'default: kept in memory, for one process only',
  ),
);

export const redisCacheUrls = optional(
  redisUrlList(
    'REDIS_CACHE_URL',
    'another Redis for cached answers, in the same forms, so that evicting answers never evicts request logs; default: answers are ' +
      'in REDIS_URL too',
  ),
);

export const extensions = moduleList(
  'EXTENSIONS',
  'modules with adapters, health checks and middleware of your own; paths from the working directory, or names of packages, separated by ' +
    'commas',
);

export const rateLimitMax = wholeNumber('RATE_LIMIT_MAX', 'requests that a key may make in one window', {
  from: 1,
  to: 10_000_000,
  defaultValue: 100,
});
export const rateLimitWindowMs = seconds('RATE_LIMIT_WINDOW_SECONDS', 'length of the sliding window', {
  from: 1,
  to: 86_400,
  defaultValue: 60,
});

export const cacheListTtlMs = seconds(
  'CACHE_LIST_TTL_SECONDS',
  'how long answers with lists of blogs, categories and tags are cached (0: not at all)',
  { from: 0, to: A_YEAR_IN_SECONDS, defaultValue: 300 },
);
export const cacheDetailTtlMs = seconds(
  'CACHE_DETAIL_TTL_SECONDS',
  'how long answers with one blog are cached (0: not at all)',
  { from: 0, to: A_YEAR_IN_SECONDS, defaultValue: 900 },
);

export const staleIfErrorMs = seconds(
  'STALE_IF_ERROR_SECONDS',
  'how long answers are served beyond their lifetime while the read tables are unavailable; they may be outdated (0: not at all)',
  { from: 0, to: A_YEAR_IN_SECONDS, defaultValue: 0 },
);

export const syncPollMs = wholeNumber(
  'SYNC_POLL_MS',
  'longest time between two polls of the change capture by the sync worker',
  { from: 10, to: 60_000, defaultValue: 100 },
);

export const logLevel = oneOf('LOG_LEVEL', 'what is logged', LOG_LEVELS, 'info');

/** Null: pretty if it goes to a terminal. */
export const logPretty: Setting<boolean | null> = {
  variable: 'LOG_PRETTY',
  meaning: 'log lines for people instead of JSON; true or false',
  shownDefault: 'true at a terminal',
  ifMissing: { value: null },
  secret: false,
  read: (text) => {
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
    throw new Error(`must be true or false, not ${JSON.stringify(text)}`);
  },
};
