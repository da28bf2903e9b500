import type { LogOptions } from '../../adapters/system/pino-log.js';
import {
  type Environment,
  missing,
  needed,
  type Read,
  readSettings,
  type Values,
  valid,
} from './read-settings.js';
import { DEFAULT_ADMIN_PORT, SETTINGS } from './settings.js';

const { port, host, adminPort, adminHost, drainMs, logLevel, logPretty } = SETTINGS;
const { rateLimitMax, rateLimitWindowMs, cacheListTtlMs, cacheDetailTtlMs, staleIfErrorMs } = SETTINGS;
const { maxSyncAgeMs } = SETTINGS;
const { readDatabaseUrl, writeDatabaseUrl, dashboardMapping } = SETTINGS;
const { redisUrls, redisCacheUrls, extensions, syncPollMs, webhooks } = SETTINGS;

const OPERATED = { logLevel, logPretty, adminPort, adminHost };
const LIFETIMES = { cacheListTtlMs, cacheDetailTtlMs, staleIfErrorMs, maxSyncAgeMs };
const SERVING = { ...OPERATED, port, host, drainMs, rateLimitMax, rateLimitWindowMs, ...LIFETIMES };
const SERVERS = { readDatabaseUrl, redisUrls, redisCacheUrls };
const DATABASES = { readDatabaseUrl, writeDatabaseUrl, dashboardMapping };

type All = Values<typeof SETTINGS>;
type Grouped = ReturnType<typeof grouped<Values<typeof SERVING>>>;
type Serving = Omit<Grouped, keyof Operated>;

/** For a program that runs until it is stopped: the operators' port and the shutdown. */
export type Operated = Pick<Grouped, 'adminPort' | 'adminHost' | 'drainMs'>;

export interface ApiConfiguration extends Serving, LogOptions, Values<typeof SERVERS> {}

export interface EmbeddedConfiguration extends Serving, Pick<All, 'syncPollMs' | 'webhooks'> {}

/** Null: a database that only extensions use, or none. Without a mapping: the reference schema. */
export interface MigrateConfiguration
  extends Pick<All, 'readDatabaseUrl' | 'writeDatabaseUrl'>,
    Partial<Pick<All, 'dashboardMapping'>> {}

export interface SyncConfiguration
  extends LogOptions,
    MigrateConfiguration,
    Pick<All, 'syncPollMs' | 'webhooks'> {}

/** Without the dashboard's URL, the doctor checks the read tables as an API needs them. */
export interface DoctorConfiguration
  extends MigrateConfiguration,
    Pick<All, 'redisUrls' | 'redisCacheUrls' | 'maxSyncAgeMs' | 'webhooks'> {}

/** A missing URL is reported when the ports are created, because extensions may not need it. */
export function apiConfiguration(environment: Environment): Read<ApiConfiguration & Operated> {
  const { settings, problems } = readSettings({ ...SERVING, ...SERVERS }, environment, contradictionsIn);
  return { settings: grouped(settings), problems };
}

export function embeddedConfiguration(environment: Environment): Read<EmbeddedConfiguration & Operated> {
  const embedded = { ...SERVING, host: { ...host, defaultValue: '127.0.0.1' }, syncPollMs, webhooks };
  const { settings, problems } = readSettings(embedded, environment, contradictionsIn);
  return { settings: grouped(settings), problems };
}

/** Reports problems as `apiConfiguration` does. */
export function syncConfiguration(environment: Environment): Read<SyncConfiguration & Operated> {
  const sync = { ...OPERATED, ...DATABASES, syncPollMs, webhooks };
  const { settings, problems } = readSettings(sync, environment);
  return { settings: { ...settings, drainMs: 0 }, problems };
}

export function migrateConfiguration(environment: Environment): MigrateConfiguration {
  const { extensions: _, ...settings } = valid(
    readSettings({ ...DATABASES, extensions }, environment, withoutReadTables),
  );
  return settings;
}

/** Validates every variable that any program reads. */
export function doctorConfiguration(environment: Environment): Read<DoctorConfiguration> {
  return readSettings(SETTINGS, environment, (values) => [
    ...contradictionsIn(values),
    ...withoutReadTables(values),
  ]);
}

export function dashboardConfiguration(environment: Environment) {
  const settings = valid(readSettings({ writeDatabaseUrl, dashboardMapping }, environment));
  return { ...settings, writeDatabaseUrl: needed(writeDatabaseUrl, settings.writeDatabaseUrl) };
}

export function webhooksConfiguration(environment: Environment) {
  const settings = valid(readSettings({ webhooks }, environment));
  return { webhooks: needed(webhooks, settings.webhooks.length === 0 ? null : settings.webhooks) };
}

function grouped<Read extends Values<typeof SERVING>>(read: Read) {
  const { rateLimitMax, rateLimitWindowMs, cacheListTtlMs, cacheDetailTtlMs, ...values } = read;
  return {
    ...values,
    // The public port may be the usual admin port.
    adminPort: read.adminPort ?? (read.port === DEFAULT_ADMIN_PORT ? 0 : null),
    window: { limit: rateLimitMax, lengthMs: rateLimitWindowMs },
    cacheLifetimesMs: { list: cacheListTtlMs, detail: cacheDetailTtlMs },
  };
}

function contradictionsIn({ port, adminPort, redisUrls, redisCacheUrls = null }: Partial<All>): string[] {
  const problems: string[] = [];
  if (port !== undefined && port !== 0 && port === adminPort)
    problems.push(`PORT and ADMIN_PORT are both ${port}: set one of them to another port`);
  if (redisUrls === null && redisCacheUrls !== null)
    problems.push('REDIS_CACHE_URL is set without REDIS_URL: set REDIS_URL for limits too, or neither');
  return problems;
}

/** For a command that creates no ports: extensions may replace all that needs the URL. */
function withoutReadTables({ readDatabaseUrl: url, extensions }: Partial<All>): string[] {
  return url === null && extensions?.length === 0 ? [missing(readDatabaseUrl, ['this command'])] : [];
}
