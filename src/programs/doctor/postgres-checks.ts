import { isBehindPooler } from '../../adapters/postgres/connection/open-database.js';
import { replicationLag, serverFacts, walPosition } from '../../adapters/postgres/inspect/server-facts.js';
import { identityOn, replicaProblem } from '../../adapters/postgres/inspect/server-identity.js';
import { pendingMigrations } from '../../adapters/postgres/migrations/migrate-database.js';
import { READ_MIGRATIONS } from '../../composition/project-folders.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { DatabaseProbe } from '../admin/probe.js';
import { check, failure, type HealthCheck, ok, skewCheck, type Verdict, warning } from './health-check.js';

const OLDEST = { PostgreSQL: '14', MariaDB: '10.6', MySQL: '8.0' } as const;
const MIGRATE = 'run `npm run migrate`';
/** One segment of WAL. Less than that is normally in transit. */
const TOLERATED_LAG_BYTES = 16 * 1024 * 1024;

/** What the checks of every server need to know of it. */
interface Server {
  readonly product: keyof typeof OLDEST;
  readonly version: string;
  readonly clockMs: number;
}

/** Whether the database can be reached. */
export function connectionCheck(name: string, variable: string, server: () => Promise<Server>): HealthCheck {
  const advice = `check that the server runs and accepts connections from here, and that ${variable} is correct`;
  return check(name, advice, server, ({ product, version }) => ok(`${product} ${version} answers`));
}

export function versionCheck(name: string, server: () => Promise<Server>): HealthCheck {
  return check(`${name}: version`, `see ${name}`, server, versionVerdict);
}

export function clockCheck(name: string, clock: Clock, server: () => Promise<Server>): HealthCheck {
  return skewCheck(name, clock, async () => (await server()).clockMs);
}

/** The checks for every PostgreSQL. */
export function serverChecks(name: string, probe: DatabaseProbe, clock: Clock): readonly HealthCheck[] {
  const server = postgresServer(probe);
  return [versionCheck(name, server), clockCheck(name, clock, server)];
}

export function postgresServer(probe: DatabaseProbe): () => Promise<Server> {
  return async () => ({ ...(await probe.query(serverFacts)), product: 'PostgreSQL' });
}

/** For the sync worker, which uses session-level locks and settings. */
export function directConnectionCheck(name: string, variable: string, probe: DatabaseProbe): HealthCheck {
  return check(
    `${name}: direct connection`,
    `see ${name}`,
    () => probe.query(isBehindPooler),
    (isBehind) =>
      isBehind
        ? warning(
            'a pooler is in between, and the sync worker needs its own sessions',
            `set ${variable} to the server itself, or run the pooler in session mode`,
          )
        : ok('no pooler in between'),
  );
}

/** Whether the read tables exist as this version needs them. */
export function migrationsCheck(name: string, probe: DatabaseProbe): HealthCheck {
  return check(
    name,
    `${MIGRATE}, and db/grants/in-read-database.sql for roles that are not its owner`,
    () => probe.query((database) => pendingMigrations(database, READ_MIGRATIONS)),
    (pending) =>
      pending.length === 0 ? ok('up to date') : failure(`missing: ${pending.join(', ')}`, MIGRATE),
  );
}

/** Whether a replica follows the primary, and how far behind it is. */
export function replicaChecks(
  name: string,
  replica: DatabaseProbe,
  primary: DatabaseProbe,
): readonly HealthCheck[] {
  const lag = async () => {
    const position = await primary.query(walPosition);
    return replica.query((database) => replicationLag(database, position));
  };
  return [
    check(
      `${name}: server`,
      'see read database: the check needs to know which server the replica follows',
      () => Promise.all([identityOf(replica), identityOf(primary)]),
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
    ),
    check(`${name}: lag`, `see ${name}`, lag, lagVerdict),
  ];
}

function identityOf(probe: DatabaseProbe) {
  return probe.query((database) => identityOn({ query: async (sql) => await database.raw(sql) }));
}

function lagVerdict(lag: Awaited<ReturnType<typeof replicationLag>>): Verdict {
  if (lag === null) return ok('no standby: nothing to replay');
  if (lag.isPaused) return warning('replay is paused', 'run `select pg_wal_replay_resume()` on it');
  const finding = `${lag.bytes} bytes of WAL to replay`;
  if (lag.bytes <= TOLERATED_LAG_BYTES) return ok(finding);
  return warning(finding, 'see pg_stat_replication on the primary, and the log of the standby');
}

function versionVerdict({ product, version }: Server): Verdict {
  const [major, minor] = numbersIn(version);
  const [oldestMajor, oldestMinor] = numbersIn(OLDEST[product]);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok(version);
  return failure(version, `upgrade ${product} to ${OLDEST[product]} or later`);
}

function numbersIn(version: string): readonly [major: number, minor: number] {
  const [major = 0, minor = 0] = version.split('.').map(Number.parseFloat);
  return [major, minor];
}
