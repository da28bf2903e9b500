import { describeFindings } from '../../adapters/cli/doctor-report.js';
import type { MappingFindings } from '../../adapters/dashboard/mapping/mapping-findings.js';
import type { MappedDashboard } from '../../adapters/dashboard/source/mapped-dashboard.js';
import { PostgresGenerations } from '../../adapters/postgres/read/postgres-generations.js';
import { sharesSessions } from '../../adapters/sql/postgres/open-database.js';
import { postgresServer, postgresTimeMs } from '../../adapters/sql/postgres/server-identity.js';
import { dashboardOf } from '../../composition/dashboard-of.js';
import type { Extended, Replaced } from '../../composition/extensions/extend.js';
import type { DoctorConfiguration } from '../../composition/settings/configuration.js';
import { nameOfPort, SESSION } from '../../composition/tokens.js';
import type { Check, Examined } from '../../domain/model/finding.js';
import {
  migrationsCheck,
  NO_QUESTION,
  readDatabaseCheck,
  rightsCheck,
  syncAgeCheck,
} from '../admin/checks.js';

import { before, checkBy, examineInTurn, inTime, ok, warning } from '../admin/examine.js';
import { type DatabaseProbe, probeOfDashboard, probeOn } from '../admin/probe.js';
import { checkOf } from '../admin/running-extensions.js';
import { WorkerHealth } from '../sync/worker-health.js';
import { clockCheck } from './clock-check.js';
import { leaderCheck, mappingInFullCheck, ownSessionsCheck, serverCheck } from './database-checks.js';
import { examineRedis } from './redis-checks.js';

/** The time limit of each check, so that a frozen server is one finding among others. */
const TIMEOUT_MS = 3_000;
/** The check reads the ids of all rows. */
const MAPPING_TIMEOUT_MS = 60_000;
const READ_DATABASE = 'read database';
const DASHBOARD = 'dashboard';
/** The checks of `/readyz`, whose names are those of fields there. */
const NAMES: Readonly<Record<string, string>> = {
  readDatabase: 'read tables',
  readTables: 'migrations',
  dashboard: 'dashboard: identity',
  changeCapture: 'change capture',
  syncLag: 'sync lag',
  syncAge: 'sync age',
  unshownRows: 'rows not shown',
};
/** The doctor has it in full. */
const IN_FULL = 'mapping';
const NO_EXTENSIONS: Extended = { extensions: [], replaced: new Map(), bindings: [], wrongSettings: [] };

/** Checks all that the program depends on. Returns whether nothing is broken. */
export async function doctor(
  configuration: DoctorConfiguration,
  asJson: boolean,
  print: (text: string) => void,
  extended: Extended = NO_EXTENSIONS,
): Promise<boolean> {
  const isWorker = configuration.writeDatabaseUrl !== null;
  const examined = await Promise.all([
    // An invalid one ends the command before this point.
    examineInTurn([checkBy('configuration', async () => ok('valid')), ...extensionChecks(extended)]),
    isWorker ? examineWorker(configuration, extended.replaced) : examineApi(configuration),
    // The sync worker needs no Redis.
    isWorker && configuration.redisUrls === null ? [] : examineAllRedis(configuration),
  ]);
  const findings = examined.flat().map(([{ name }, finding]) => ({ check: name, ...finding }));
  print(asJson ? JSON.stringify(findings) : describeFindings(findings));
  return findings.every(({ outcome }) => outcome !== 'failure');
}

async function examineApi({
  readDatabaseUrl,
  maxSyncAgeMs = null,
}: DoctorConfiguration): Promise<readonly Examined[]> {
  // Only extensions make it needless.
  if (readDatabaseUrl === null) return [];
  const tables = probeOn(readDatabaseUrl, TIMEOUT_MS);
  const checks = [
    readDatabaseCheck(tables),
    migrationsCheck('migrations', tables),
    rightsCheck('api', tables),
    syncAgeCheck(
      () => tables.query((database) => new PostgresGenerations(database).read(NO_QUESTION)),
      maxSyncAgeMs,
    ),
  ];
  try {
    return await examineInTurn(checksOnServer(tables, inWords(checks)));
  } finally {
    await tables.close();
  }
}

async function examineWorker(
  { readDatabaseUrl, writeDatabaseUrl, dashboardMapping, webhooks = [] }: DoctorConfiguration,
  replaced: Replaced,
): Promise<readonly Examined[]> {
  if (writeDatabaseUrl === null) return [];
  const engine = dashboardOf({ writeDatabaseUrl, dashboardMapping });
  const health = new WorkerHealth({ engine, readDatabaseUrl }, webhooks, replaced, TIMEOUT_MS);
  const patient = probeOfDashboard(engine, MAPPING_TIMEOUT_MS);
  try {
    return await examineInTurn([
      ...checksOfReadTables(health),
      ...checksOfDashboard(health, engine, () => patient.query(({ database }) => engine.check(database))),
    ]);
  } finally {
    await Promise.all([health.close(), patient.close()]);
  }
}

function checksOfReadTables(health: WorkerHealth): readonly Check[] {
  const { readTables } = health;
  if (readTables === null) return [];
  const leadership = health.unlessReplaced(SESSION.leadership);
  return checksOnServer(readTables, [
    ...inWords(health.checksOfReadTables),
    ownSessionsCheck(READ_DATABASE, 'READ_DATABASE_URL', () => readTables.query(sharesSessions)),
    ...(leadership === null ? [] : [{ ...leaderCheck(leadership), after: ['migrations'] }]),
  ]);
}

function checksOnServer(tables: DatabaseProbe, checks: readonly Check[]): readonly Check[] {
  const server = serverCheck(READ_DATABASE, 'READ_DATABASE_URL', () => tables.query(postgresServer));
  return before(server, [clockCheck(READ_DATABASE, () => tables.query(postgresTimeMs)), ...checks]);
}

function checksOfDashboard(
  { dashboard, checksOfDashboard }: WorkerHealth,
  { engine }: MappedDashboard,
  findMistakes: () => Promise<MappingFindings>,
): readonly Check[] {
  if (dashboard === null) return [];
  const areShared = () => dashboard.query((connection) => connection.sharesSessions());
  const version = () => dashboard.query((connection) => connection.server());
  return before(serverCheck(DASHBOARD, 'WRITE_DATABASE_URL', version), [
    ...(engine.sharesSessions === null ? [] : [ownSessionsCheck(DASHBOARD, 'WRITE_DATABASE_URL', areShared)]),
    ...inWords(checksOfDashboard),
    { ...mappingInFullCheck(findMistakes), after: ['dashboard: identity'] },
  ]);
}

/** Without the one that the doctor has in full. */
function inWords(checks: readonly Check[]): readonly Check[] {
  const inWord = (name: string) => NAMES[name] ?? name;
  return checks
    .filter(({ name }) => name !== IN_FULL)
    .map((check) => ({ ...check, name: inWord(check.name), after: check.after.map(inWord) }));
}

async function examineAllRedis({
  redisUrls,
  redisCacheUrls,
}: DoctorConfiguration): Promise<readonly Examined[]> {
  if (redisUrls === null) {
    const finding =
      'REDIS_URL is not set: each process has its own limit and cache, unless an extension has them';
    const advised = warning(finding, 'set it if several API processes run');
    return examineInTurn([checkBy('redis', async () => advised)]);
  }
  const redis = { name: 'redis', variable: 'REDIS_URL' } as const;
  const cache = { name: 'redis cache', variable: 'REDIS_CACHE_URL', keeps: 'answers' } as const;
  const keeps = redisCacheUrls === null ? 'limits and answers' : 'limits';
  const examined = await Promise.all([
    examineRedis({ ...redis, keeps }, redisUrls, TIMEOUT_MS),
    redisCacheUrls === null ? [] : examineRedis(cache, redisCacheUrls, TIMEOUT_MS),
  ]);
  return examined.flat();
}

/** The replaced ports, and the extensions' own checks. */
function extensionChecks({ extensions, replaced }: Extended): readonly Check[] {
  const loaded = extensions.map(({ name }) => {
    const ports = [...replaced].flatMap(([token, by]) => (by === name ? [nameOfPort(token)] : []));
    const replaces =
      ports.length === 0
        ? 'replaces no port'
        : `replaces ${ports.join(', ')}: their default adapters are not checked`;
    return checkBy(`extension ${name}`, async () => ok(replaces));
  });
  const checks = extensions.flatMap(({ additions }) => additions.healthChecks ?? []);
  return [...loaded, ...checks.map((check) => inTime(TIMEOUT_MS, checkOf(check)))];
}
