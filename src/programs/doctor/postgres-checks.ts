import type { Server } from '../../adapters/dashboard/source/mapped-dashboard.js';
import { missingRights, type Program } from '../../adapters/postgres/inspect/missing-rights.js';
import {
  identityOn,
  replicaProblem,
  serverVersion,
} from '../../adapters/postgres/inspect/server-identity.js';
import { migrationState } from '../../adapters/postgres/migrations/migrate-database.js';
import { READ_MIGRATIONS } from '../../composition/project-folders.js';
import { GRANT } from '../admin/checks.js';
import type { DatabaseProbe } from '../admin/probe.js';
import { check, failure, type HealthCheck, ok, warning } from './health-check.js';

const OLDEST: Readonly<Record<Server['product'], string>> = {
  PostgreSQL: '14',
  MariaDB: '10.6',
  MySQL: '8.0',
};
const MIGRATE = 'run `npm run migrate`';

/** Whether the database can be reached, and is recent enough. */
export function connectionCheck(name: string, variable: string, server: () => Promise<Server>): HealthCheck {
  const advice = `check that the server runs and accepts connections from here, and that ${variable} is correct`;
  return check(name, advice, server, ({ product, version }) => {
    const finding = `${product} ${version} answers`;
    return isRecent(version, OLDEST[product])
      ? ok(finding)
      : failure(finding, `upgrade ${product} to ${OLDEST[product]} or later`);
  });
}

export function postgresServer(probe: DatabaseProbe): () => Promise<Server> {
  return async () => ({ version: await probe.query(serverVersion), product: 'PostgreSQL' });
}

/** For the sync worker, which uses session-level locks and settings. */
export function directConnectionCheck(
  name: string,
  variable: string,
  isBehindPooler: () => Promise<boolean>,
): HealthCheck {
  return check(`${name}: direct connection`, `see ${name}`, isBehindPooler, (isBehind) =>
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
    () => probe.query((database) => migrationState(database, READ_MIGRATIONS)),
    ({ missing, newer }) => {
      if (missing.length > 0) return failure(`missing: ${missing.join(', ')}`, MIGRATE);
      if (newer.length === 0) return ok('up to date');
      return warning(
        `migrated by a newer version: ${newer.join(', ')}`,
        'start the programs of that version',
      );
    },
  );
}

/** Whether the program may do with the read tables what it does. */
export function rightsCheck(probe: DatabaseProbe, program: Program): HealthCheck {
  return check(
    'rights',
    GRANT,
    () => probe.query((database) => missingRights(database, program)),
    (missing) =>
      missing.length === 0 ? ok('all that the program needs') : failure(missing.join('; '), GRANT),
  );
}

/** Whether a replica follows the primary. */
export function replicaCheck(name: string, replica: DatabaseProbe, primary: DatabaseProbe): HealthCheck {
  return check(
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
  );
}

function identityOf(probe: DatabaseProbe) {
  return probe.query((database) => identityOn({ query: async (sql) => await database.raw(sql) }));
}

function isRecent(version: string, oldest: string): boolean {
  const [major, minor] = numbersIn(version);
  const [oldestMajor, oldestMinor] = numbersIn(oldest);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function numbersIn(version: string): readonly [major: number, minor: number] {
  const [major = 0, minor = 0] = version.split('.').map(Number.parseFloat);
  return [major, minor];
}
