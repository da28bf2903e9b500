import type { LogLevel } from '../adapters/system/pino-log.js';
import type { Window } from '../domain/model/window.js';
import type { AnswerKind } from '../domain/policies/cache-lifetimes.js';
import { type Environment, readSettings } from './read-settings.js';
import * as settings from './settings.js';

export interface LogConfiguration {
  readonly logLevel: LogLevel;
  readonly logPretty: boolean | null;
}

/** Where the content is read from. */
export type StorageConfiguration =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'memory' };

export interface ApiConfiguration extends LogConfiguration {
  readonly port: number;
  readonly host: string;
  readonly storage: StorageConfiguration;
  readonly window: Window;
  readonly cacheLifetimesMs: Readonly<Record<AnswerKind, number>>;
  /** Null: limiter and cache are in this process alone. Several: the nodes of a cluster. */
  readonly redisUrls: readonly string[] | null;
}

export type EmbeddedConfiguration = Omit<ApiConfiguration, 'storage' | 'redisUrls'> & {
  readonly pollMs: number;
};

export interface SyncConfiguration extends LogConfiguration {
  readonly readDatabaseUrl: string;
  readonly writeDatabaseUrl: string;
  readonly redisUrls: readonly string[] | null;
  readonly pollMs: number;
}

const LOG = { logLevel: settings.logLevel, logPretty: settings.logPretty };
const SERVING = {
  ...LOG,
  port: settings.port,
  rateLimitMax: settings.rateLimitMax,
  rateLimitWindowSeconds: settings.rateLimitWindowSeconds,
  cacheListTtlSeconds: settings.cacheListTtlSeconds,
  cacheDetailTtlSeconds: settings.cacheDetailTtlSeconds,
};

export function apiConfiguration(environment: Environment): ApiConfiguration {
  const { host, readDatabaseUrl, redisUrls } = settings;
  const { storageUrl, ...values } = readSettings(
    { ...SERVING, host, storageUrl: readDatabaseUrl, redisUrls },
    environment,
  );
  return {
    ...toServing(values),
    storage: { kind: 'postgres', url: storageUrl },
    redisUrls: values.redisUrls,
  };
}

export function embeddedConfiguration(environment: Environment): EmbeddedConfiguration {
  const { embeddedHost, syncPollMs } = settings;
  const { pollMs, ...values } = readSettings(
    { ...SERVING, host: embeddedHost, pollMs: syncPollMs },
    environment,
  );
  return { ...toServing(values), pollMs };
}

export function syncConfiguration(environment: Environment): SyncConfiguration {
  const { readDatabaseUrl, writeDatabaseUrl, redisUrls, syncPollMs } = settings;
  return readSettings(
    { ...LOG, readDatabaseUrl, writeDatabaseUrl, redisUrls, pollMs: syncPollMs },
    environment,
  );
}

export function migrateConfiguration(environment: Environment) {
  const { readDatabaseUrl, optionalWriteDatabaseUrl } = settings;
  return readSettings({ readDatabaseUrl, writeDatabaseUrl: optionalWriteDatabaseUrl }, environment);
}

export function dashboardConfiguration(environment: Environment) {
  return readSettings({ writeDatabaseUrl: settings.writeDatabaseUrl }, environment);
}

interface ServingValues extends LogConfiguration {
  readonly port: number;
  readonly host: string;
  readonly rateLimitMax: number;
  readonly rateLimitWindowSeconds: number;
  readonly cacheListTtlSeconds: number;
  readonly cacheDetailTtlSeconds: number;
}

function toServing(values: ServingValues): Omit<EmbeddedConfiguration, 'pollMs'> {
  const { port, host, logLevel, logPretty } = values;
  return {
    port,
    host,
    logLevel,
    logPretty,
    window: { limit: values.rateLimitMax, lengthMs: values.rateLimitWindowSeconds * 1000 },
    cacheLifetimesMs: {
      list: values.cacheListTtlSeconds * 1000,
      detail: values.cacheDetailTtlSeconds * 1000,
    },
  };
}
