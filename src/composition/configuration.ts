import type { LogLevel } from '../adapters/system/pino-log.js';
import type { CacheLifetimes } from '../domain/answers/answer-from-cache.js';
import type { Window } from '../domain/model/window.js';
import { DEFAULT_ADMIN_PORT } from './admin-port.js';
import {
  NOTHING_REPLACED,
  needsOfApi,
  needsOfWorker,
  type Replacements,
} from './extensions/ports-of-programs.js';
import { type Environment, isSet, readSettings, type Values } from './read-settings.js';
import { neededFor, optional, type Setting } from './setting.js';
import * as settings from './settings.js';
import { requireDifferentPorts, requireRedisUrlForCache } from './settings-rules.js';

export interface LogConfiguration {
  readonly logLevel: LogLevel;
  readonly logPretty: boolean | null;
  /** Several processes write to one output. */
  readonly isLogShared?: boolean;
}

/** The database from which the content is read. */
export type StorageConfiguration =
  | {
      readonly kind: 'postgres';
      readonly readDatabaseUrl: string;
      /** Default: none. */
      readonly readReplicaUrls?: readonly string[];
    }
  | { readonly kind: 'memory' };

export interface ApiConfiguration extends LogConfiguration {
  readonly port: number;
  readonly host: string;
  /** Null: extensions replace everything that would read from it. */
  readonly storage: StorageConfiguration | null;
  readonly window: Window;
  readonly cacheLifetimesMs: CacheLifetimes;
  /** How long outdated answers are served while the read tables are unavailable. 0: never. */
  readonly staleIfErrorMs: number;
  /** Null: limiter and cache exist only in this process. Several: the nodes of a cluster. */
  readonly redisUrls: readonly string[] | null;
  /** Null: answers are cached where the limiter is. */
  readonly redisCacheUrls: readonly string[] | null;
}

export type EmbeddedConfiguration = Omit<ApiConfiguration, 'storage' | 'redisUrls' | 'redisCacheUrls'> & {
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
  /** Null: extensions replace everything that would be in it. */
  readonly readDatabaseUrl: string | null;
  /** Null: extensions replace everything that would be read from it. */
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

export function apiConfiguration(
  environment: Environment,
  replaced: Replacements = NOTHING_REPLACED,
): ApiConfiguration & Operated {
  const { host, redisUrls, redisCacheUrls } = settings;
  const needs = needsOfApi(replaced, isSet(redisUrls, environment));
  const { readDatabaseUrl, readReplicaUrls, ...values } = readSettings(
    {
      ...SERVING,
      host,
      readDatabaseUrl: unlessReplaced(settings.readDatabaseUrl, needs.readDatabase, replaced),
      readReplicaUrls: settings.readReplicaUrls,
      redisUrls,
      redisCacheUrls,
    },
    environment,
    requireRedisUrlForCache,
    requireDifferentPorts,
  );
  return {
    ...toServing(values),
    storage: readDatabaseUrl === null ? null : { kind: 'postgres', readDatabaseUrl, readReplicaUrls },
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
  replaced: Replacements = NOTHING_REPLACED,
): SyncConfiguration & Operated {
  const { readDatabaseUrl, writeDatabaseUrl, dashboardMapping, redisUrls, syncPollMs } = settings;
  const needs = needsOfWorker(replaced, isSet(redisUrls, environment));
  const databases = {
    readDatabaseUrl: unlessReplaced(readDatabaseUrl, needs.readDatabase, replaced),
    writeDatabaseUrl: unlessReplaced(writeDatabaseUrl, needs.dashboard, replaced),
    dashboardMapping,
  };
  const { adminPort, adminHost, ...values } = readSettings(
    { ...LOG, ...OPERATIONS, ...databases, redisUrls, syncPollMs },
    environment,
  );
  return { ...values, operations: { port: adminPort, host: adminHost, drainMs: 0 } };
}

/**
 * An address is optional if extensions have replaced everything that uses it. If they have replaced only a part, the error names the
 * remaining ports.
 */
export function unlessReplaced(
  address: Setting<string>,
  ports: readonly string[],
  replaced: Replacements,
): Setting<string | null> {
  if (ports.length === 0) return optional(address);
  return replaced.size === 0 ? address : neededFor(address, ports);
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
