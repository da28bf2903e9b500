import type { LogLevel } from '../../adapters/system/pino-log.js';
import type { CacheLifetimes } from '../../domain/answers/answer-request.js';
import type { Window } from '../../domain/model/window.js';
import { DEFAULT_ADMIN_PORT } from './admin-port.js';
import { type Environment, readSettings, type Values } from './read-settings.js';
import { optional, type Setting } from './setting.js';
import * as settings from './settings.js';
import { requireDifferentPorts, requireRedisUrlForCache } from './settings-rules.js';

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

export interface SyncConfiguration extends LogConfiguration {
  /** Null: only extensions that replace everything in it can do without. The same for the other. */
  readonly readDatabaseUrl: string | null;
  readonly writeDatabaseUrl: string | null;
  /** Default: the mapping of the reference schema. */
  readonly dashboardMapping?: string | null;
  readonly redisUrls: readonly string[] | null;
  readonly syncPollMs: number;
}

const LOG = { logLevel: settings.logLevel, logPretty: settings.logPretty };
const OPERATIONS = { adminPort: settings.adminPort, adminHost: settings.adminHost };
export const SERVING = {
  ...LOG,
  ...OPERATIONS,
  drainMs: settings.drainMs,
  port: settings.port,
  rateLimitMax: settings.rateLimitMax,
  rateLimitWindowMs: settings.rateLimitWindowMs,
  cacheListTtlMs: settings.cacheListTtlMs,
  cacheDetailTtlMs: settings.cacheDetailTtlMs,
  staleIfErrorMs: settings.staleIfErrorMs,
};

export function extensionModules(environment: Environment): readonly string[] {
  const { extensions } = settings;
  return readSettings({ extensions }, environment).extensions;
}

/** `mayReplace`: whether there are extensions, so that what needs an address is only known later. */
export function apiConfiguration(environment: Environment, mayReplace = false): ApiConfiguration & Operated {
  const { host, readReplicaUrls, redisUrls, redisCacheUrls } = settings;
  const readDatabaseUrl = unless(mayReplace, settings.readDatabaseUrl);
  const values = readSettings(
    { ...SERVING, host, readDatabaseUrl, readReplicaUrls, redisUrls, redisCacheUrls },
    environment,
    requireRedisUrlForCache,
    requireDifferentPorts,
  );
  return {
    ...toServing(values),
    readDatabaseUrl: values.readDatabaseUrl,
    readReplicaUrls: values.readReplicaUrls,
    redisUrls: values.redisUrls,
    redisCacheUrls: values.redisCacheUrls,
  };
}

export function embeddedConfiguration(environment: Environment): EmbeddedConfiguration & Operated {
  const { embeddedHost } = settings;
  const { syncPollMs, ...values } = readSettings(
    { ...SERVING, host: embeddedHost, syncPollMs: settings.syncPollMs },
    environment,
    requireDifferentPorts,
  );
  return { ...toServing(values), syncPollMs };
}

export function syncConfiguration(
  environment: Environment,
  mayReplace = false,
): SyncConfiguration & Operated {
  const { dashboardMapping, redisUrls, syncPollMs } = settings;
  const databases = {
    readDatabaseUrl: unless(mayReplace, settings.readDatabaseUrl),
    writeDatabaseUrl: unless(mayReplace, settings.writeDatabaseUrl),
    dashboardMapping,
  };
  const { adminPort, adminHost, ...values } = readSettings(
    { ...LOG, ...OPERATIONS, ...databases, redisUrls, syncPollMs },
    environment,
  );
  return { ...values, operations: { port: adminPort, host: adminHost, drainMs: 0 } };
}

/** Required, unless extensions may replace what needs it. */
export function unless(mayReplace: boolean, address: Setting<string>): Setting<string | null> {
  return mayReplace ? optional(address) : address;
}

function toServing(
  values: Values<typeof SERVING> & { readonly host: string },
): Omit<EmbeddedConfiguration, 'syncPollMs'> & Operated {
  const { port, host, logLevel, logPretty } = values;
  return {
    port,
    host,
    logLevel,
    logPretty,
    window: { limit: values.rateLimitMax, lengthMs: values.rateLimitWindowMs },
    cacheLifetimesMs: { list: values.cacheListTtlMs, detail: values.cacheDetailTtlMs },
    staleIfErrorMs: values.staleIfErrorMs,
    operations: {
      // The public port may be the usual admin port.
      port: values.adminPort ?? (port === DEFAULT_ADMIN_PORT ? 0 : null),
      host: values.adminHost,
      drainMs: values.drainMs,
    },
  };
}
