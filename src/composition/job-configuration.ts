import { SERVING, unlessReplaced } from './configuration.js';
import {
  NOTHING_REPLACED,
  needsOfApi,
  needsOfWorker,
  type Replacements,
} from './extensions/ports-of-programs.js';
import { type Environment, isSet, readSettings } from './read-settings.js';
import * as settings from './settings.js';
import { requireDifferentPorts, requireRedisUrlForCache } from './settings-rules.js';

export interface MigrateConfiguration {
  /** Null: extensions replace everything that would be in it, whatever is set. */
  readonly readDatabaseUrl: string | null;
  readonly writeDatabaseUrl: string | null;
  readonly dashboardMapping: string | null;
}

export function migrateConfiguration(
  environment: Environment,
  replaced: Replacements = NOTHING_REPLACED,
): MigrateConfiguration {
  const { readDatabaseUrl, optionalWriteDatabaseUrl, dashboardMapping, redisUrls } = settings;
  const needs = needsOfWorker(replaced, isSet(redisUrls, environment));
  const values = readSettings(
    {
      readDatabaseUrl: unlessReplaced(readDatabaseUrl, needs.readDatabase, replaced),
      writeDatabaseUrl: optionalWriteDatabaseUrl,
      dashboardMapping,
    },
    environment,
  );
  return needs.readDatabase.length === 0 ? { ...values, readDatabaseUrl: null } : values;
}

/** The doctor checks the sync worker, or the API if no dashboard's database is set. */
export interface DoctorConfiguration {
  /** Null: extensions replace everything that would be in it. */
  readonly readDatabaseUrl: string | null;
  /** Default: none. */
  readonly readReplicaUrls?: readonly string[];
  readonly writeDatabaseUrl: string | null;
  readonly dashboardMapping?: string | null;
  readonly redisUrls: readonly string[] | null;
  readonly redisCacheUrls: readonly string[] | null;
}

/** Validates every variable that any program reads. */
export function doctorConfiguration(
  environment: Environment,
  replaced: Replacements = NOTHING_REPLACED,
): DoctorConfiguration {
  const {
    host,
    readDatabaseUrl,
    readReplicaUrls,
    optionalWriteDatabaseUrl,
    redisUrls,
    redisCacheUrls,
    syncPollMs,
  } = settings;
  const { dashboardMapping } = settings;
  const needs = (examinesWorker(environment) ? needsOfWorker : needsOfApi)(
    replaced,
    isSet(redisUrls, environment),
  );
  const databases = {
    readDatabaseUrl: unlessReplaced(readDatabaseUrl, needs.readDatabase, replaced),
    readReplicaUrls,
    writeDatabaseUrl: optionalWriteDatabaseUrl,
    dashboardMapping,
  };
  return readSettings(
    { ...SERVING, host, syncPollMs, ...databases, redisUrls, redisCacheUrls },
    environment,
    requireRedisUrlForCache,
    // A worker has no public port.
    ...(examinesWorker(environment) ? [] : [requireDifferentPorts]),
  );
}

/** Whether the doctor checks the servers of the worker or those of the API. */
export function examinesWorker(environment: Environment): boolean {
  return isSet(settings.optionalWriteDatabaseUrl, environment);
}

export function dashboardConfiguration(environment: Environment) {
  const { writeDatabaseUrl, dashboardMapping } = settings;
  return readSettings({ writeDatabaseUrl, dashboardMapping }, environment);
}
