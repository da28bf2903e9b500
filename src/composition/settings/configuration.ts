import type { LogLevel } from '../../adapters/system/log-levels.js';
import type { CacheLifetimes } from '../../domain/answers/answer-request.js';
import type { Window } from '../../domain/model/window.js';
import { type Environment, isSet, readSettings, type Values } from './read-settings.js';
import { DEFAULT_ADMIN_PORT, optional, type Setting } from './setting.js';
import * as settings from './settings.js';

export interface LogConfiguration {
  readonly logLevel: LogLevel;
  readonly logPretty: boolean | null;
  /** Several processes write to one output. */
  readonly isLogShared?: boolean;
}

export interface ApiConfiguration extends LogConfiguration {
  readonly port: number;
  readonly host: string;
  /** Null: only extensions that replace everything in it can do without. */
  readonly readDatabaseUrl: string | null;
  readonly readReplicaUrls: readonly string[];
  readonly window: Window;
  readonly cacheLifetimesMs: CacheLifetimes;
  /** How long outdated answers are served while the read tables are unavailable. 0: never. */
  readonly staleIfErrorMs: number;
  /** Null: limiter and cache exist only in this process. Several: the nodes of a cluster. */
  readonly redisUrls: readonly string[] | null;
  /** Null: answers are cached where the limiter is. */
  readonly redisCacheUrls: readonly string[] | null;
}

export type EmbeddedConfiguration = Omit<
  ApiConfiguration,
  'readDatabaseUrl' | 'readReplicaUrls' | 'redisUrls' | 'redisCacheUrls'
> & {
  readonly syncPollMs: number;
};

/** The operators' port and the shutdown of a program. */
export interface OperationsConfiguration {
  /** Null: the usual one, or another if that is taken. */
  readonly port: number | null;
  readonly host: string;
  readonly drainMs: number;
}

/** For a program that runs until it is stopped. */
export interface Operated {
  readonly operations: OperationsConfiguration;
}

/** Null: only extensions that replace everything in it can do without. */
export interface MigrateConfiguration {
  readonly readDatabaseUrl: string | null;
  readonly writeDatabaseUrl: string | null;
  /** Default: the mapping of the reference schema. */
  readonly dashboardMapping?: string | null;
}

export interface SyncConfiguration extends LogConfiguration, MigrateConfiguration {
  readonly redisUrls: readonly string[] | null;
  readonly syncPollMs: number;
}

/** The doctor checks the sync worker, or the API if no dashboard's database is set. */
export interface DoctorConfiguration extends MigrateConfiguration {
  readonly readReplicaUrls?: readonly string[];
  readonly redisUrls: readonly string[] | null;
  readonly redisCacheUrls: readonly string[] | null;
}

const { dashboardMapping, syncPollMs, writeDatabaseUrl, LOG, OPERATIONS, REDIS, SERVING } = settings;
const API = { ...SERVING, ...REDIS, readReplicaUrls: settings.readReplicaUrls };

export function extensionModules(environment: Environment): readonly string[] {
  const { extensions } = settings;
  return readSettings({ extensions }, environment).extensions;
}

/** `mayReplace`: there are extensions, so what needs an address is only known later. */
export function apiConfiguration(environment: Environment, mayReplace = false): ApiConfiguration & Operated {
  const readDatabaseUrl = unless(mayReplace, settings.readDatabaseUrl);
  const rules = [requireRedisUrlForCache, requireDifferentPorts];
  return grouped(readSettings({ ...API, readDatabaseUrl }, environment, ...rules));
}

export function embeddedConfiguration(environment: Environment): EmbeddedConfiguration & Operated {
  const embedded = { ...SERVING, host: settings.embeddedHost, syncPollMs };
  return grouped(readSettings(embedded, environment, requireDifferentPorts));
}

export function syncConfiguration(
  environment: Environment,
  mayReplace = false,
): SyncConfiguration & Operated {
  const databases = {
    readDatabaseUrl: unless(mayReplace, settings.readDatabaseUrl),
    writeDatabaseUrl: unless(mayReplace, writeDatabaseUrl),
    dashboardMapping,
  };
  const sync = { ...LOG, ...OPERATIONS, ...databases, redisUrls: REDIS.redisUrls, syncPollMs };
  const { adminPort, adminHost, ...values } = readSettings(sync, environment);
  return { ...values, operations: { port: adminPort, host: adminHost, drainMs: 0 } };
}

export function migrateConfiguration(environment: Environment): MigrateConfiguration {
  const mayReplace = isSet(settings.extensions, environment);
  const readDatabaseUrl = unless(mayReplace, settings.readDatabaseUrl);
  const migrate = { readDatabaseUrl, writeDatabaseUrl: optional(writeDatabaseUrl), dashboardMapping };
  return readSettings(migrate, environment);
}

/** Validates every variable that any program reads. */
export function doctorConfiguration(environment: Environment, mayReplace = false): DoctorConfiguration {
  const databases = {
    readDatabaseUrl: unless(mayReplace, settings.readDatabaseUrl),
    writeDatabaseUrl: optional(writeDatabaseUrl),
    dashboardMapping,
  };
  // A worker has no public port.
  const rules = examinesWorker(environment) ? [] : [requireDifferentPorts];
  return readSettings({ ...API, ...databases, syncPollMs }, environment, requireRedisUrlForCache, ...rules);
}

/** Whether the doctor checks the servers of the worker or those of the API. */
export function examinesWorker(environment: Environment): boolean {
  return isSet(optional(writeDatabaseUrl), environment);
}

export function dashboardConfiguration(environment: Environment) {
  return readSettings({ writeDatabaseUrl, dashboardMapping }, environment);
}

/** Required, unless extensions may replace what needs it. */
function unless(mayReplace: boolean, address: Setting<string>): Setting<string | null> {
  return mayReplace ? optional(address) : address;
}

function grouped<Read extends Values<typeof SERVING>>(read: Read) {
  const { rateLimitMax, rateLimitWindowMs, cacheListTtlMs, cacheDetailTtlMs, ...ungrouped } = read;
  const { adminPort, adminHost, drainMs, ...values } = ungrouped;
  // The public port may be the usual admin port.
  const port = adminPort ?? (read.port === DEFAULT_ADMIN_PORT ? 0 : null);
  return {
    ...values,
    window: { limit: rateLimitMax, lengthMs: rateLimitWindowMs },
    cacheLifetimesMs: { list: cacheListTtlMs, detail: cacheDetailTtlMs },
    operations: { port, host: adminHost, drainMs },
  };
}

/** Shared answers require shared generations. */
function requireRedisUrlForCache(values: {
  readonly redisUrls?: readonly string[] | null;
  readonly redisCacheUrls?: readonly string[] | null;
}): string | null {
  if (values.redisUrls !== null || (values.redisCacheUrls ?? null) === null) return null;
  return 'REDIS_CACHE_URL is set without REDIS_URL: set REDIS_URL for limits and generations too, or neither';
}

/** Without ADMIN_PORT, the operators' port avoids the public one. */
function requireDifferentPorts(values: {
  readonly port?: number;
  readonly adminPort?: number | null;
}): string | null {
  const { port, adminPort } = values;
  if (port === undefined || port === 0 || port !== adminPort) return null;
  return `PORT and ADMIN_PORT are both ${port}: set one of them to another port`;
}
