import { describeFindings, type Finding } from '../../adapters/cli/doctor-report.js';
import { RedisLook } from '../../adapters/redis/redis-look.js';
import { SystemClock } from '../../adapters/system/system-clock.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { DoctorConfiguration } from '../configuration.js';
import { dashboardOf } from '../dashboards/dashboard-of.js';
import { examine, ok, warning } from '../doctor/health-check.js';
import { API_RIGHTS, WORKER_RIGHTS } from '../doctor/needed-rights.js';
import { readTablesChecks } from '../doctor/read-database-checks.js';
import { type RedisUse, redisChecks, redisConnectionCheck } from '../doctor/redis-checks.js';
import { rightsCheck } from '../doctor/rights-check.js';
import { connectionCheck, directConnectionCheck, serverChecks } from '../doctor/server-checks.js';
import { captureChecks, knownDashboardCheck, workerChecks } from '../doctor/sync-checks.js';
import { inTime } from '../in-time.js';
import { Lookout, lookoutOn } from '../sync/lookout.js';

/** What each look is given, so that a server that froze is one finding among others. */
const PATIENCE_MS = 3_000;

/** Looks at all that the program with this configuration stands on. Answers whether nothing is broken. */
export async function doctor(
  configuration: DoctorConfiguration,
  asJson: boolean,
  print: (text: string) => void,
  clock: Clock = new SystemClock(),
): Promise<boolean> {
  const findings = (
    await Promise.all([
      [examinedConfiguration(configuration)],
      examineReadDatabase(configuration, clock),
      examineDashboard(configuration, clock),
      examineRedis(configuration, clock),
    ])
  ).flat();
  print(asJson ? JSON.stringify(findings) : describeFindings(findings));
  return findings.every(({ outcome }) => outcome !== 'failure');
}

/** It is valid, or nobody would have come here. */
function examinedConfiguration({ writeDatabaseUrl }: DoctorConfiguration): Finding {
  const found =
    writeDatabaseUrl === null
      ? "valid; as the API's, since WRITE_DATABASE_URL is not set: what the sync worker stands on is not looked at"
      : "valid; as the sync worker's, since WRITE_DATABASE_URL is set";
  return { check: 'configuration', ...ok(found) };
}

async function examineReadDatabase(
  { readDatabaseUrl, writeDatabaseUrl }: DoctorConfiguration,
  clock: Clock,
): Promise<readonly Finding[]> {
  const name = 'read database';
  const lookout = lookoutOn(readDatabaseUrl, PATIENCE_MS);
  try {
    return await examine(connectionCheck(name, 'READ_DATABASE_URL', lookout), [
      ...serverChecks(name, lookout, clock),
      ...readTablesChecks(lookout),
      rightsCheck(`${name}: rights`, lookout, writeDatabaseUrl === null ? API_RIGHTS : WORKER_RIGHTS),
      ...(writeDatabaseUrl === null
        ? []
        : [directConnectionCheck(name, 'READ_DATABASE_URL', lookout), ...workerChecks(lookout)]),
    ]);
  } finally {
    await lookout.close();
  }
}

async function examineDashboard(
  { readDatabaseUrl, writeDatabaseUrl, ...settings }: DoctorConfiguration,
  clock: Clock,
): Promise<readonly Finding[]> {
  if (writeDatabaseUrl === null) return [];
  const engine = dashboardOf({ writeDatabaseUrl, ...settings });
  const { connection, server, rights, close } = engine.examination(PATIENCE_MS, clock);
  const dashboard = new Lookout((name) => {
    const opened = engine.connect(name);
    return { asked: opened, close: () => opened.close() };
  }, PATIENCE_MS);
  const readTables = lookoutOn(readDatabaseUrl, PATIENCE_MS);
  try {
    return await examine(connection, [
      ...server,
      knownDashboardCheck(dashboard, readTables),
      ...captureChecks(dashboard),
      ...rights,
    ]);
  } finally {
    await Promise.all([close(), dashboard.close(), readTables.close()]);
  }
}

async function examineRedis(
  { redisUrls, redisCacheUrls }: DoctorConfiguration,
  clock: Clock,
): Promise<readonly Finding[]> {
  if (redisUrls === null) {
    const found = 'REDIS_URL is not set: each process has a limit and a cache of its own';
    return [{ check: 'redis', ...warning(found, 'set it where several API processes run') }];
  }
  const redis = { name: 'redis', variable: 'REDIS_URL' };
  if (redisCacheUrls === null) return examineOne({ ...redis, keeps: 'limits and answers' }, redisUrls, clock);
  const cache: RedisUse = { name: 'redis cache', variable: 'REDIS_CACHE_URL', keeps: 'answers' };
  const findings = [
    examineOne({ ...redis, keeps: 'limits' }, redisUrls, clock),
    examineOne(cache, redisCacheUrls, clock),
  ];
  return (await Promise.all(findings)).flat();
}

async function examineOne(use: RedisUse, urls: readonly string[], clock: Clock): Promise<readonly Finding[]> {
  const redis = new RedisLook(urls);
  const look = <Fact>(question: (redis: RedisLook) => Promise<Fact>) => inTime(PATIENCE_MS, question(redis));
  try {
    return await examine(redisConnectionCheck(use, look), redisChecks(use, look, clock));
  } finally {
    redis.close();
  }
}
