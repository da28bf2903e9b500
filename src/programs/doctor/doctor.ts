import { describeFindings, type Finding } from '../../adapters/cli/doctor-report.js';
import type { MappingFindings } from '../../adapters/dashboard/mapping/mapping-findings.js';
import { type Check, Degraded } from '../../adapters/operations/readiness.js';
import { isBehindPooler } from '../../adapters/postgres/connection/open-database.js';
import { databaseName } from '../../adapters/postgres/connection/postgres-urls.js';
import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import { dashboardOf } from '../../composition/dashboard-of.js';
import type { Extended, Replaced } from '../../composition/extensions/extend.js';
import type { DoctorConfiguration } from '../../composition/settings/configuration.js';
import { nameOfPort, SESSION } from '../../composition/tokens.js';
import { workerWith } from '../admin/checks.js';
import { probeOfDashboard, probeOn } from '../admin/probe.js';
import { checkOf } from '../admin/running-extensions.js';
import { check, examine, failure, type HealthCheck, ok, warning } from './health-check.js';
import {
  connectionCheck,
  directConnectionCheck,
  migrationsCheck,
  postgresServer,
  replicaCheck,
  rightsCheck,
} from './postgres-checks.js';
import { examineRedis } from './redis-checks.js';
import {
  captureChecks,
  knownDashboardCheck,
  tablesCheck,
  webhooksCheck,
  workerChecks,
} from './sync-checks.js';

/** The time limit of each check, so that a frozen server is one finding among others. */
const TIMEOUT_MS = 3_000;
const DASHBOARD = 'dashboard';
/** The check reads the ids of all rows. */
const MAPPING_TIMEOUT_MS = 60_000;
const CORRECT_MAPPING = 'correct the file of DASHBOARD_MAPPING, then run `npm run migrate`';
const RESTORE_SCHEMA =
  'restore the tables of the reference schema, or set DASHBOARD_MAPPING to a file for yours';
const NO_EXTENSIONS: Extended = { extensions: [], replaced: new Map(), bindings: [] };

/** Checks all that the program depends on. Returns whether nothing is broken. */
export async function doctor(
  configuration: DoctorConfiguration,
  asJson: boolean,
  print: (text: string) => void,
  extended: Extended = NO_EXTENSIONS,
): Promise<boolean> {
  const { replaced } = extended;
  const findings = (
    await Promise.all([
      [examinedConfiguration(configuration)],
      examineExtensions(extended),
      examineReadTables(configuration, replaced),
      examineDashboard(configuration, replaced),
      examineAllRedis(configuration),
    ])
  ).flat();
  print(asJson ? JSON.stringify(findings) : describeFindings(findings));
  return findings.every(({ outcome }) => outcome !== 'failure');
}

/** An invalid configuration ends the command before this point. */
function examinedConfiguration({ writeDatabaseUrl }: DoctorConfiguration): Finding {
  const finding =
    writeDatabaseUrl === null
      ? 'valid; checking the API only, because WRITE_DATABASE_URL is not set'
      : 'valid; checking the sync worker, because WRITE_DATABASE_URL is set';
  return { check: 'configuration', ...ok(finding) };
}

/** The primary, and the replicas of an API. */
async function examineReadTables(
  { readDatabaseUrl, readReplicaUrls = [], writeDatabaseUrl, webhooks = [] }: DoctorConfiguration,
  replaced: Replaced,
): Promise<readonly Finding[]> {
  const isWorker = writeDatabaseUrl !== null;
  // Only extensions make it needless.
  if (readDatabaseUrl === null) return [];
  const primary = probeOn(readDatabaseUrl, TIMEOUT_MS);
  const replicas = (isWorker ? [] : readReplicaUrls).map((url) => ({
    name: `read replica ${databaseName(url)}`,
    probe: probeOn(url, TIMEOUT_MS),
  }));
  const ofWorker = [
    directConnectionCheck('read database', 'READ_DATABASE_URL', () => primary.query(isBehindPooler)),
    ...workerChecks(primary, replaced),
    webhooksCheck(primary, webhooks),
  ];
  try {
    const findings = await Promise.all([
      examine(
        [connectionCheck('read database', 'READ_DATABASE_URL', postgresServer(primary))],
        [
          migrationsCheck('migrations', primary),
          rightsCheck(primary, isWorker ? workerWith(webhooks) : 'api'),
          ...(isWorker ? ofWorker : []),
        ],
      ),
      ...replicas.map(({ name, probe }) =>
        examine(
          [connectionCheck(name, 'READ_REPLICA_URLS', postgresServer(probe))],
          [migrationsCheck(`${name}: migrations`, probe), replicaCheck(name, probe, primary)],
        ),
      ),
    ]);
    return findings.flat();
  } finally {
    await Promise.all([primary, ...replicas.map(({ probe }) => probe)].map((probe) => probe.close()));
  }
}

async function examineDashboard(
  { readDatabaseUrl, writeDatabaseUrl, ...settings }: DoctorConfiguration,
  replaced: Replaced,
): Promise<readonly Finding[]> {
  if (writeDatabaseUrl === null) return [];
  const engine = dashboardOf({ writeDatabaseUrl, ...settings });
  const dashboard = probeOfDashboard(engine, TIMEOUT_MS);
  const patient = probeOfDashboard(engine, MAPPING_TIMEOUT_MS);
  const connection = connectionCheck(DASHBOARD, 'WRITE_DATABASE_URL', () =>
    dashboard.query(({ database }) => engine.server(database)),
  );
  const { isBehindPooler: isPooled } = engine;
  const direct =
    isPooled === null
      ? []
      : [
          directConnectionCheck(DASHBOARD, 'WRITE_DATABASE_URL', () =>
            dashboard.query(({ database }) => isPooled(database)),
          ),
        ];
  const findMistakes = () => patient.query(({ database }) => engine.check(database));
  // The notes of an extension are not known before the worker runs.
  const notes =
    readDatabaseUrl === null || replaced.has(SESSION.syncNotes) ? null : probeOn(readDatabaseUrl, TIMEOUT_MS);
  try {
    return await examine(engine.isReference ? [connection, tablesCheck(dashboard)] : [connection], [
      ...direct,
      mappingCheck(findMistakes, engine.isReference),
      ...(notes === null ? [] : [knownDashboardCheck(dashboard, notes)]),
      ...captureChecks(dashboard, replaced.has(SESSION.jobQueue) ? null : notes),
    ]);
  } finally {
    await Promise.all([dashboard.close(), patient.close(), notes?.close()]);
  }
}

/** Whether a mapping matches the current tables. */
function mappingCheck(read: () => Promise<MappingFindings>, isReference: boolean): HealthCheck {
  const ifItFails = 'run `npm run migrate`, which has no time limit';
  return check(`${DASHBOARD}: mapping`, ifItFails, read, ({ errors, warnings }) => {
    if (errors.length > 0) return failure(errors.join('; '), isReference ? RESTORE_SCHEMA : CORRECT_MAPPING);
    if (warnings.length === 0) return ok('fits the tables');
    return warning(warnings.join('; '), 'docs/dashboards.md explains each of them');
  });
}

async function examineAllRedis({
  redisUrls,
  redisCacheUrls,
  writeDatabaseUrl,
}: DoctorConfiguration): Promise<readonly Finding[]> {
  if (redisUrls === null) {
    // The sync worker needs no Redis.
    if (writeDatabaseUrl !== null) return [];
    const finding =
      'REDIS_URL is not set: each process has its own limit and cache, unless an extension has them';
    return [{ check: 'redis', ...warning(finding, 'set it if several API processes run') }];
  }
  const redis = { name: 'redis', variable: 'REDIS_URL' } as const;
  const cache = { name: 'redis cache', variable: 'REDIS_CACHE_URL', keeps: 'answers' } as const;
  const keeps = redisCacheUrls === null ? 'limits and answers' : 'limits';
  const findings = await Promise.all([
    examineRedis({ ...redis, keeps }, redisUrls, TIMEOUT_MS),
    redisCacheUrls === null ? [] : examineRedis(cache, redisCacheUrls, TIMEOUT_MS),
  ]);
  return findings.flat();
}

/** Reports the replaced ports and the results of the extensions' own checks. */
async function examineExtensions({ extensions, replaced }: Extended): Promise<readonly Finding[]> {
  const loaded = extensions.map(({ name }) => {
    const ports = [...replaced].flatMap(([token, by]) => (by === name ? [nameOfPort(token)] : []));
    const replaces =
      ports.length === 0
        ? 'replaces no port'
        : `replaces ${ports.join(', ')}: their default adapters are not checked`;
    return { check: `extension ${name}`, ...ok(replaces) };
  });
  const checks = extensions.flatMap(({ additions }) => additions.healthChecks ?? []);
  const findings = checks.map((check) => examine([healthCheck(checkOf(check))]));
  return [...loaded, ...(await Promise.all(findings)).flat()];
}

function healthCheck({ name, run }: Check): HealthCheck {
  return {
    name,
    ifItFails: 'see the documentation of the extension',
    run: async () => {
      try {
        await withTimeLimit(TIMEOUT_MS, run());
      } catch (error) {
        if (!(error instanceof Degraded)) throw error;
        return warning(error.message, 'the program continues without it');
      }
      return ok('passed');
    },
  };
}
