import type { MappingFindings } from '../../adapters/dashboard/mapping/mapping-findings.js';
import { checkMapping as checkOnMysql } from '../../adapters/dashboard/mysql/checks/check-mapping.js';
import {
  accountOf,
  grants,
  type Right,
  type Rights,
  triedRights,
  workerRights,
} from '../../adapters/dashboard/mysql/checks/rights.js';
import { MysqlDashboard } from '../../adapters/dashboard/mysql/dashboard.js';
import { MysqlWorkerConnection, mysqlFacts } from '../../adapters/dashboard/mysql/server.js';
import { checkMapping as checkOnPostgres } from '../../adapters/dashboard/postgres/checks/check-mapping.js';
import type { PostgresDashboard } from '../../adapters/dashboard/postgres/dashboard.js';
import { Probe, probeOn } from '../admin/probe.js';
import { failure, type HealthCheck, ok, type Verdict, warning } from './health-check.js';
import { connectionCheck, directConnectionCheck, postgresServer } from './postgres-checks.js';
import { rightsCheck, workerRightsIn } from './rights-check.js';

const NAME = 'dashboard';
/** The check reads the ids of all rows. */
const MAPPING_TIMEOUT_MS = 60_000;
const WRITE: readonly Right[] = ['insert', 'update', 'delete'];

/** The doctor's checks that are specific to one kind of database. */
interface DashboardExamination {
  /** Whether the database can be reached. */
  readonly connection: HealthCheck;
  readonly server: readonly HealthCheck[];
  /** Runs after all others. */
  readonly rights: HealthCheck;
  close(): Promise<void>;
}

export function examinationOf(
  dashboard: PostgresDashboard | MysqlDashboard,
  timeoutMs: number,
): DashboardExamination {
  return dashboard instanceof MysqlDashboard
    ? ofMysql(dashboard, timeoutMs)
    : ofPostgres(dashboard, timeoutMs);
}

function ofPostgres(
  { url, written, captured, isReference }: PostgresDashboard,
  timeoutMs: number,
): DashboardExamination {
  const probe = probeOn(url, timeoutMs);
  const patient = probeOn(url, MAPPING_TIMEOUT_MS);
  return {
    connection: connectionCheck(NAME, 'WRITE_DATABASE_URL', postgresServer(probe)),
    server: [
      directConnectionCheck(NAME, 'WRITE_DATABASE_URL', probe),
      mappingCheck(() => patient.query((database) => checkOnPostgres(database, written))),
    ],
    rights: rightsCheck(`${NAME}: rights`, probe, workerRightsIn(captured.tables, isReference)),
    close: async () => void (await Promise.all([probe.close(), patient.close()])),
  };
}

function ofMysql({ url, mapping }: MysqlDashboard, timeoutMs: number): DashboardExamination {
  const connect = (name: string) => {
    const connection = new MysqlWorkerConnection(url, name);
    return { target: connection.database, close: () => connection.close() };
  };
  const probe = new Probe(connect, timeoutMs);
  const patient = new Probe(connect, MAPPING_TIMEOUT_MS);
  const facts = () => probe.query(mysqlFacts);
  const missing = () => probe.query((database) => triedRights(database, workerRights(mapping), 'denied'));
  const mappingMatches = mappingCheck(() => patient.query((database) => checkOnMysql(database, mapping)));
  return {
    connection: connectionCheck(NAME, 'WRITE_DATABASE_URL', facts),
    server: [
      {
        ...mappingMatches,
        // A table that this user may not read seems to be missing.
        run: async () =>
          isNone(await missing())
            ? mappingMatches.run()
            : failure('it cannot be checked: permissions are missing', `see ${NAME}: rights`),
      },
    ],
    rights: {
      name: `${NAME}: rights`,
      ifItFails: 'grant what `npm run migrate -- --explain` prints',
      run: async () => {
        const { user, database: name } = await probe.query(accountOf);
        const lacking = await missing();
        if (!isNone(lacking)) {
          const statements = grants(lacking, name, user).map((grant) => `${grant};`);
          return failure(
            `${user} lacks ${described(lacking)}`,
            `as an administrator, run ${statements.join(' ')}`,
          );
        }
        const writes = Object.fromEntries(mapping.captures.map(({ table }) => [table, WRITE]));
        const wider = await probe.query((database) => triedRights(database, writes, 'granted'));
        if (isNone(wider))
          return ok(`${user} has the required permissions, and cannot change the dashboard's tables`);
        return warning(
          `${user} may also ${described(wider)}`,
          'use a user that has only the grants that `npm run migrate -- --explain` prints',
        );
      },
    },
    close: async () => void (await Promise.all([probe.close(), patient.close()])),
  };
}

/** Whether a mapping matches the current tables. */
function mappingCheck(check: () => Promise<MappingFindings>): HealthCheck {
  return {
    name: `${NAME}: mapping`,
    ifItFails: 'run `npm run migrate`, which has no time limit',
    run: async (): Promise<Verdict> => {
      const { errors, warnings } = await check();
      if (errors.length > 0) {
        return failure(
          errors.join('; '),
          'correct the file of DASHBOARD_MAPPING, then run `npm run migrate`',
        );
      }
      if (warnings.length === 0) return ok('fits the tables');
      return warning(warnings.join('; '), 'docs/dashboards.md explains each of them');
    },
  };
}

function isNone(rights: Rights): boolean {
  return Object.keys(rights).length === 0;
}

function described(rights: Rights): string {
  return Object.entries(rights)
    .map(([object, those]) => `${those.join(', ')} on ${object}`)
    .join('; ');
}
