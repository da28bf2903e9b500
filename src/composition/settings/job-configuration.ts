import { SERVING, unless } from './configuration.js';
import { type Environment, isSet, readSettings } from './read-settings.js';
import * as settings from './settings.js';
import { requireDifferentPorts, requireRedisUrlForCache } from './settings-rules.js';

export interface MigrateConfiguration {
  /** Null: only extensions that replace everything in it can do without. */
  readonly readDatabaseUrl: string | null;
  readonly writeDatabaseUrl: string | null;
  readonly dashboardMapping: string | null;
}

export function migrateConfiguration(environment: Environment, mayReplace = false): MigrateConfiguration {
  const { optionalWriteDatabaseUrl: writeDatabaseUrl, dashboardMapping } = settings;
  const readDatabaseUrl = unless(mayReplace, settings.readDatabaseUrl);
  return readSettings({ readDatabaseUrl, writeDatabaseUrl, dashboardMapping }, environment);
}

/** The doctor checks the sync worker, or the API if no dashboard's database is set. */
export interface DoctorConfiguration
  extends Omit<MigrateConfiguration, 'dashboardMapping'>,
    Partial<Pick<MigrateConfiguration, 'dashboardMapping'>> {
  readonly readReplicaUrls?: readonly string[];
  readonly redisUrls: readonly string[] | null;
  readonly redisCacheUrls: readonly string[] | null;
}

/** Validates every variable that any program reads. */
export function doctorConfiguration(environment: Environment, mayReplace = false): DoctorConfiguration {
  const { host, readReplicaUrls, dashboardMapping, redisUrls, redisCacheUrls, syncPollMs } = settings;
  const databases = {
    readDatabaseUrl: unless(mayReplace, settings.readDatabaseUrl),
    readReplicaUrls,
    writeDatabaseUrl: settings.optionalWriteDatabaseUrl,
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
