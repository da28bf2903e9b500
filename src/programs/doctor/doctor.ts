import { describeFindings, type Finding } from '../../adapters/cli/doctor-report.js';
import { type Check, Degraded } from '../../adapters/operations/readiness.js';
import { databaseName } from '../../adapters/postgres/connection/postgres-urls.js';
import { WorkerConnection } from '../../adapters/postgres/connection/worker-connection.js';
import { PostgresSyncNotes } from '../../adapters/postgres/write/postgres-sync-notes.js';
import { SystemClock } from '../../adapters/system/system-clock.js';
import { withTimeLimit } from '../../adapters/system/with-time-limit.js';
import { dashboardOf } from '../../composition/dashboard-of.js';
import { nameOfPort, WORKER_PORTS } from '../../composition/extensions/ports.js';
import type { DoctorConfiguration } from '../../composition/settings/configuration.js';
import { API_PORTS } from '../../composition/tokens.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { SyncNotes } from '../../domain/ports/sync-notes.js';
import { Probe, probeOn } from '../admin/probe.js';
import { examinationOf } from './dashboard-examination.js';
import type { ExtendedParts } from './extended-parts.js';
import { examine, type HealthCheck, ok, warning } from './health-check.js';
import {
  connectionCheck,
  directConnectionCheck,
  migrationsCheck,
  postgresServer,
  replicaChecks,
  serverChecks,
} from './postgres-checks.js';
import { examineRedis } from './redis-checks.js';
import { API_RIGHTS, rightsCheck, WORKER_RIGHTS } from './rights-check.js';
import { captureChecks, knownDashboardCheck, workerChecks } from './sync-checks.js';

/** The time limit of each check, so that a frozen server is one finding among others. */
const TIMEOUT_MS = 3_000;

/** Checks all that the program depends on. Returns whether nothing is broken. */
export async function doctor(
  configuration: DoctorConfiguration,
  asJson: boolean,
  print: (text: string) => void,
  clock: Clock = new SystemClock(),
  parts: ExtendedParts | null = null,
): Promise<boolean> {
  const findings = (
    await Promise.all([
      [examinedConfiguration(configuration)],
      parts === null ? [] : examineExtensions(parts, TIMEOUT_MS),
      examineReadDatabase(configuration, clock, parts),
      examineReadReplicas(configuration, clock, parts),
      examineDashboard(configuration, clock, parts),
      examineAllRedis(configuration, clock, parts),
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

async function examineReadDatabase(
  { readDatabaseUrl, writeDatabaseUrl }: DoctorConfiguration,
  clock: Clock,
  parts: ExtendedParts | null,
): Promise<readonly Finding[]> {
  if (readDatabaseUrl === null || parts?.hasReadTables === false) return [];
  const name = 'read database';
  const probe = probeOn(readDatabaseUrl, TIMEOUT_MS);
  try {
    return await examine(connectionCheck(name, 'READ_DATABASE_URL', postgresServer(probe)), [
      ...serverChecks(name, probe, clock),
      migrationsCheck('migrations', probe),
      rightsCheck(`${name}: rights`, probe, writeDatabaseUrl === null ? API_RIGHTS : WORKER_RIGHTS),
      ...(writeDatabaseUrl === null
        ? []
        : [
            directConnectionCheck(name, 'READ_DATABASE_URL', probe),
            ...workerChecks(probe, parts?.replaced ?? new Map()),
          ]),
    ]);
  } finally {
    await probe.close();
  }
}

async function examineReadReplicas(
  { readDatabaseUrl, readReplicaUrls = [] }: DoctorConfiguration,
  clock: Clock,
  parts: ExtendedParts | null,
): Promise<readonly Finding[]> {
  if (readDatabaseUrl === null || parts?.hasReplicas === false) return [];
  const primary = probeOn(readDatabaseUrl, TIMEOUT_MS);
  const examineOne = async (url: string) => {
    const name = `read replica ${databaseName(url)}`;
    const probe = probeOn(url, TIMEOUT_MS);
    const checks = [
      ...serverChecks(name, probe, clock),
      migrationsCheck(`${name}: migrations`, probe),
      rightsCheck(`${name}: rights`, probe, API_RIGHTS),
      ...replicaChecks(name, probe, primary),
    ];
    const connection = connectionCheck(name, 'READ_REPLICA_URLS', postgresServer(probe));
    return examine(connection, checks).finally(() => probe.close());
  };
  try {
    return (await Promise.all(readReplicaUrls.map(examineOne))).flat();
  } finally {
    await primary.close();
  }
}

async function examineDashboard(
  { readDatabaseUrl, writeDatabaseUrl, ...settings }: DoctorConfiguration,
  clock: Clock,
  parts: ExtendedParts | null,
): Promise<readonly Finding[]> {
  if (writeDatabaseUrl === null || parts?.hasDashboard === false) return [];
  const engine = dashboardOf({ writeDatabaseUrl, ...settings });
  const { connection, server, rights, close } = examinationOf(engine, TIMEOUT_MS, clock);
  const dashboard = new Probe((name) => {
    const opened = engine.connect(name);
    return { target: opened, close: () => opened.close() };
  }, TIMEOUT_MS);
  const notes = notesProbe(parts?.notes ?? null, readDatabaseUrl);
  try {
    return await examine(connection, [
      ...server,
      knownDashboardCheck(dashboard, notes),
      ...captureChecks(dashboard),
      rights,
    ]);
  } finally {
    await Promise.all([close(), dashboard.close(), notes.close()]);
  }
}

/** `own`: the notes of an extension. Null: they are in the read tables. */
function notesProbe(notesOfExtension: SyncNotes | null, readDatabaseUrl: string | null): Probe<SyncNotes> {
  return new Probe((name) => {
    if (notesOfExtension !== null) return { target: notesOfExtension, close: async () => {} };
    // A missing address was already reported, with the ports that need it.
    const connection = new WorkerConnection(readDatabaseUrl ?? '', name);
    return { target: new PostgresSyncNotes(connection.database), close: () => connection.close() };
  }, TIMEOUT_MS);
}

async function examineAllRedis(
  { writeDatabaseUrl, redisUrls, redisCacheUrls }: DoctorConfiguration,
  clock: Clock,
  parts: ExtendedParts | null,
): Promise<readonly Finding[]> {
  const program = writeDatabaseUrl === null ? 'api' : 'sync';
  const uses =
    program === 'api'
      ? [API_PORTS.requestLog, API_PORTS.responseCache, API_PORTS.publishedGenerations]
      : [WORKER_PORTS.publishedGenerations];
  if (uses.every((token) => parts?.replaced.has(token))) return [];
  if (redisUrls === null) {
    const finding = 'REDIS_URL is not set: each process has its own limit and cache';
    return [{ check: 'redis', ...warning(finding, 'set it if several API processes run') }];
  }
  const redis = { name: 'redis', variable: 'REDIS_URL', program } as const;
  const cache = { name: 'redis cache', variable: 'REDIS_CACHE_URL', program, keeps: 'answers' } as const;
  const keeps = redisCacheUrls === null ? 'limits and answers' : 'limits';
  const findings = await Promise.all([
    examineRedis({ ...redis, keeps }, redisUrls, TIMEOUT_MS, clock),
    redisCacheUrls === null ? [] : examineRedis(cache, redisCacheUrls, TIMEOUT_MS, clock),
  ]);
  return findings.flat();
}

/** Reports the replaced ports and the results of the extensions' own checks. */
async function examineExtensions(
  { extensions, replaced, checks }: ExtendedParts,
  timeoutMs: number,
): Promise<readonly Finding[]> {
  const loaded = extensions.map((name) => {
    const ports = [...replaced].flatMap(([token, by]) => (by === name ? [nameOfPort(token)] : []));
    const replaces =
      ports.length === 0
        ? 'replaces no port'
        : `replaces ${ports.join(', ')}: their default adapters are not checked`;
    return { check: `extension ${name}`, ...ok(replaces) };
  });
  const findings = checks.map((check) => examine(healthCheck(check, timeoutMs), []));
  return [...loaded, ...(await Promise.all(findings)).flat()];
}

function healthCheck({ name, run }: Check, timeoutMs: number): HealthCheck {
  return {
    name,
    ifItFails: 'see the documentation of the extension',
    run: async () => {
      try {
        await withTimeLimit(timeoutMs, run());
      } catch (error) {
        if (!(error instanceof Degraded)) throw error;
        return warning(error.message, 'the program continues without it');
      }
      return ok('passed');
    },
  };
}
