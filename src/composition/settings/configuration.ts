import type { LogOptions } from '../../adapters/system/pino-log.js';
import type { WebhookEndpoint } from '../../domain/model/webhook.js';
import { type Environment, readSettings, type Values } from './read-settings.js';
import { optional, type Setting } from './setting.js';
import * as settings from './settings.js';

const { dashboardMapping, syncPollMs, webhooks, writeDatabaseUrl, LOG, OPERATIONS, REDIS, SERVING } =
  settings;
const API = { ...SERVING, ...REDIS, readReplicaUrls: settings.readReplicaUrls };

type ServingConfiguration = Omit<ReturnType<typeof grouped<Values<typeof SERVING>>>, keyof Operated>;

export interface ApiConfiguration extends ServingConfiguration, LogOptions, Values<typeof REDIS> {
  /** Null: only extensions that replace everything in it can do without. */
  readonly readDatabaseUrl: string | null;
  readonly readReplicaUrls: readonly string[];
}

export interface EmbeddedConfiguration extends ServingConfiguration {
  readonly syncPollMs: number;
  readonly webhooks: readonly WebhookEndpoint[];
}

/** For a program that runs until it is stopped: the operators' port and the shutdown. */
export interface Operated extends Values<typeof OPERATIONS> {
  readonly drainMs: number;
}

/** Null: only extensions that replace everything in it can do without. */
export interface MigrateConfiguration {
  readonly readDatabaseUrl: string | null;
  readonly writeDatabaseUrl: string | null;
  /** Default: the mapping of the reference schema. */
  readonly dashboardMapping?: string | null;
}

export interface SyncConfiguration extends LogOptions, MigrateConfiguration {
  readonly syncPollMs: number;
  readonly webhooks: readonly WebhookEndpoint[];
}

/** The doctor checks the sync worker, or the API if no dashboard's database is set. */
export interface DoctorConfiguration extends MigrateConfiguration, Values<typeof REDIS> {
  readonly readReplicaUrls?: readonly string[];
  readonly webhooks?: readonly WebhookEndpoint[];
}

export function apiConfiguration(environment: Environment, isExtended = false): ApiConfiguration & Operated {
  const readDatabaseUrl = unlessExtended(settings.readDatabaseUrl, environment, isExtended);
  return grouped(readSettings({ ...API, readDatabaseUrl }, environment, contradictionIn));
}

export function embeddedConfiguration(environment: Environment): EmbeddedConfiguration & Operated {
  const embedded = { ...SERVING, host: settings.embeddedHost, syncPollMs, webhooks };
  return grouped(readSettings(embedded, environment, contradictionIn));
}

export function syncConfiguration(
  environment: Environment,
  isExtended = false,
): SyncConfiguration & Operated {
  const databases = {
    ...databasesOf(environment, isExtended),
    writeDatabaseUrl: unlessExtended(writeDatabaseUrl, environment, isExtended),
  };
  const sync = { ...LOG, ...OPERATIONS, ...databases, syncPollMs, webhooks };
  return { ...readSettings(sync, environment), drainMs: 0 };
}

export function migrateConfiguration(environment: Environment): MigrateConfiguration {
  return readSettings(databasesOf(environment), environment);
}

/** Validates every variable that any program reads. */
export function doctorConfiguration(environment: Environment): DoctorConfiguration {
  const doctor = { ...API, ...databasesOf(environment), syncPollMs, webhooks };
  return readSettings(doctor, environment, contradictionIn);
}

export function dashboardConfiguration(environment: Environment) {
  return readSettings({ writeDatabaseUrl, dashboardMapping }, environment);
}

export function webhooksConfiguration(environment: Environment) {
  const ifMissing = { required: 'the path of the file that says who is told after a publication' };
  return readSettings({ webhooks: { ...webhooks, ifMissing } }, environment);
}

/** The dashboard's may be missing. */
function databasesOf(environment: Environment, isExtended = false) {
  const readDatabaseUrl = unlessExtended(settings.readDatabaseUrl, environment, isExtended);
  return { readDatabaseUrl, writeDatabaseUrl: optional(writeDatabaseUrl), dashboardMapping };
}

/** Required, unless extensions may replace what needs it: then creating that requires it. */
function unlessExtended(
  address: Setting<string>,
  environment: Environment,
  isExtended: boolean,
): Setting<string | null> {
  return isExtended || environment[settings.extensions.variable] ? optional(address) : address;
}

function grouped<Read extends Values<typeof SERVING>>(read: Read) {
  const { rateLimitMax, rateLimitWindowMs, cacheListTtlMs, cacheDetailTtlMs, ...values } = read;
  return {
    ...values,
    // The public port may be the usual admin port.
    adminPort: read.adminPort ?? (read.port === settings.DEFAULT_ADMIN_PORT ? 0 : null),
    window: { limit: rateLimitMax, lengthMs: rateLimitWindowMs },
    cacheLifetimesMs: { list: cacheListTtlMs, detail: cacheDetailTtlMs },
  };
}

function contradictionIn(values: {
  readonly port?: number;
  readonly adminPort?: number | null;
  readonly redisUrls?: readonly string[] | null;
  readonly redisCacheUrls?: readonly string[] | null;
}): string | null {
  const { port, adminPort, redisUrls, redisCacheUrls = null } = values;
  if (port !== undefined && port !== 0 && port === adminPort)
    return `PORT and ADMIN_PORT are both ${port}: set one of them to another port`;
  if (redisUrls !== null || redisCacheUrls === null) return null;
  return 'REDIS_CACHE_URL is set without REDIS_URL: set REDIS_URL for limits too, or neither';
}
