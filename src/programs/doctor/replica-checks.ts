import type { Finding } from '../../adapters/cli/doctor-report.js';
import { databaseName } from '../../adapters/postgres/connection/postgres-urls.js';
import { replicationLag, walPosition } from '../../adapters/postgres/inspect/server-facts.js';
import { identityOn, replicaProblem } from '../../adapters/postgres/inspect/server-identity.js';
import type { Clock } from '../../domain/ports/clock.js';
import { type DatabaseProbe, probeOn } from '../admin/probe.js';
import { check, examine, failure, type HealthCheck, ok, warning } from './health-check.js';
import { API_RIGHTS } from './needed-rights.js';
import { readTablesChecks } from './read-database-checks.js';
import { rightsCheck } from './rights-check.js';
import { connectionCheck, postgresServer, serverChecks } from './server-checks.js';

/** One segment of WAL. Less than that is normally in transit. */
const TOLERATED_LAG_BYTES = 16 * 1024 * 1024;

/** Checks each replica from which the API reads content. */
export async function examineReplicas(
  primaryUrl: string,
  urls: readonly string[],
  timeoutMs: number,
  clock: Clock,
): Promise<readonly Finding[]> {
  const primary = probeOn(primaryUrl, timeoutMs);
  try {
    return (await Promise.all(urls.map((url) => examineOne(url, primary, timeoutMs, clock)))).flat();
  } finally {
    await primary.close();
  }
}

async function examineOne(
  url: string,
  primary: DatabaseProbe,
  timeoutMs: number,
  clock: Clock,
): Promise<readonly Finding[]> {
  const name = `read replica ${databaseName(url)}`;
  const probe = probeOn(url, timeoutMs);
  const ofTables = readTablesChecks(probe).map((ofTable) => ({
    ...ofTable,
    name: `${name}: ${ofTable.name}`,
  }));
  try {
    return await examine(connectionCheck(name, 'READ_REPLICA_URLS', postgresServer(probe)), [
      ...serverChecks(name, probe, clock),
      ...ofTables,
      rightsCheck(`${name}: rights`, probe, API_RIGHTS),
      serverCheck(name, probe, primary),
      lagCheck(name, probe, primary),
    ]);
  } finally {
    await probe.close();
  }
}

function serverCheck(name: string, probe: DatabaseProbe, primary: DatabaseProbe): HealthCheck {
  return check(
    `${name}: server`,
    'see read database: the check needs to know which server the replica follows',
    () => Promise.all([identityOf(probe), identityOf(primary)]),
    ([its, ofPrimary]) => {
      const reason = replicaProblem(its, ofPrimary);
      if (reason !== null)
        return failure(reason, 'set READ_REPLICA_URLS only to standbys of READ_DATABASE_URL');
      if (its.timeline === null) return ok('a standby of READ_DATABASE_URL');
      return warning(
        'it accepts writes: it is the primary, or a promoted standby',
        'check that READ_DATABASE_URL points to the server that the sync worker writes to',
      );
    },
  );
}

function lagCheck(name: string, probe: DatabaseProbe, primary: DatabaseProbe): HealthCheck {
  const read = async () => {
    const position = await primary.query(walPosition);
    return probe.query((database) => replicationLag(database, position));
  };
  return check(`${name}: lag`, `see ${name}`, read, (lag) => {
    if (lag === null) return ok('no standby: nothing to replay');
    const { bytes, isPaused } = lag;
    if (isPaused) return warning('replay is paused', 'run `select pg_wal_replay_resume()` on it');
    const finding = `${bytes} bytes of WAL to replay`;
    if (bytes <= TOLERATED_LAG_BYTES) return ok(finding);
    return warning(finding, 'see pg_stat_replication on the primary, and the log of the standby');
  });
}

function identityOf(probe: DatabaseProbe) {
  return probe.query((database) => identityOn({ query: async (sql) => await database.raw(sql) }));
}
