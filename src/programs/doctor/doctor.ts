import { describeFindings } from '../../adapters/cli/doctor-report.js';
import { PostgresGenerations } from '../../adapters/postgres/read/postgres-generations.js';
import { RedisProbe } from '../../adapters/redis/connection/redis-probe.js';
import { connectWorker } from '../../adapters/sql/postgres/connect-worker.js';
import { dashboardOf } from '../../composition/dashboard-of.js';
import type { Extended, Replaced } from '../../composition/extensions/extend.js';
import type { DoctorConfiguration } from '../../composition/settings/configuration.js';
import { nameOfPort } from '../../composition/tokens.js';
import type { Check } from '../../domain/model/finding.js';
import type { Generations } from '../../domain/ports/reading/generations.js';
import { checkBy, examineInTurn, inTime, ok, warning } from '../admin/examine.js';
import { Probe } from '../admin/probe.js';
import { checkOf } from '../admin/running-extensions.js';
import { apiChecks, syncAgeCheck } from '../api/api-checks.js';
import { type RedisUses, redisServerChecks } from '../api/redis-checks.js';
import { WorkerChecks } from '../sync/worker-checks.js';

/** The time limit of each check, so that a frozen server is one finding among others. */
const TIMEOUT_MS = 3_000;

type Close = () => Promise<unknown>;

/** Checks all that the program depends on. Returns whether nothing is broken. */
export async function doctor(
  configuration: DoctorConfiguration,
  asJson: boolean,
  print: (text: string) => void,
  extended: Extended,
): Promise<boolean> {
  const opened: Close[] = [];
  const lists = [
    extensionChecks(extended),
    databaseChecks(configuration, extended.replaced, opened),
    ...redisChecks(configuration, opened),
  ];
  const findings = (await Promise.all(lists.map(examineInTurn))).flat();
  await Promise.all(opened.map((close) => close()));
  print(asJson ? JSON.stringify(findings) : describeFindings(findings));
  return findings.every(({ outcome }) => outcome !== 'failure');
}

function databaseChecks(
  configuration: DoctorConfiguration,
  replaced: Replaced,
  opened: Close[],
): readonly Check[] {
  const { readDatabaseUrl, writeDatabaseUrl, dashboardMapping, webhooks, maxSyncAgeMs } = configuration;
  if (writeDatabaseUrl !== null) {
    const engine = dashboardOf({ writeDatabaseUrl, dashboardMapping });
    const worker = new WorkerChecks({ engine, readDatabaseUrl }, webhooks, replaced, TIMEOUT_MS);
    opened.push(() => worker.close());
    return worker.list;
  }
  // Only extensions make it needless.
  if (readDatabaseUrl === null) return [];
  const readTables = new Probe((name) => connectWorker(readDatabaseUrl, name), TIMEOUT_MS);
  opened.push(() => readTables.close());
  const generations: Pick<Generations, 'read'> = {
    read: (asked) => readTables.query(({ database }) => new PostgresGenerations(database).read(asked)),
  };
  return apiChecks(readTables, syncAgeCheck(generations, null, maxSyncAgeMs), []);
}

/** Of each server, so that one that is frozen delays no other. */
function redisChecks(configuration: DoctorConfiguration, opened: Close[]): readonly (readonly Check[])[] {
  const { redisUrls, redisCacheUrls, writeDatabaseUrl } = configuration;
  const on = (urls: readonly string[], uses: RedisUses, variable: string) => {
    const redis = new Probe(() => new RedisProbe(urls), TIMEOUT_MS);
    opened.push(() => redis.close());
    return redisServerChecks(uses, variable, redis);
  };
  if (redisUrls !== null && redisCacheUrls === null)
    return [on(redisUrls, ['redis', 'redisCache'], 'REDIS_URL')];
  if (redisUrls !== null && redisCacheUrls !== null)
    return [on(redisUrls, ['redis'], 'REDIS_URL'), on(redisCacheUrls, ['redisCache'], 'REDIS_CACHE_URL')];
  // The sync worker needs no Redis.
  if (writeDatabaseUrl !== null) return [];
  const message =
    'REDIS_URL is not set: each process has its own limit and cache, unless an extension has them';
  const finding = warning(message, 'set it if several API processes run', 'notSet');
  return [[checkBy('redis', async () => finding)]];
}

/** The replaced ports, and the extensions' own checks. */
function extensionChecks({ extensions, replaced }: Extended): readonly Check[] {
  const loaded = extensions.map(({ name }) => {
    const ports = [...replaced].flatMap(([token, by]) => (by === name ? [nameOfPort(token)] : []));
    const replaces = `replaces ${ports.join(', ')}: their default adapters are not checked`;
    return checkBy(`extension ${name}`, async () => ok(ports.length === 0 ? 'replaces no port' : replaces));
  });
  const checks = extensions.flatMap(({ additions }) => additions.healthChecks ?? []);
  return [...loaded, ...checks.map((check) => inTime(TIMEOUT_MS, checkOf(check)))];
}
