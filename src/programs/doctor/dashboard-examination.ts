import type { MappingFindings } from '../../adapters/dashboard/mapping/mapping-findings.js';
import { checkMapping as checkOnMysql } from '../../adapters/dashboard/mysql/checks/check-mapping.js';
import { MysqlDashboard } from '../../adapters/dashboard/mysql/dashboard.js';
import { MysqlWorkerConnection, mysqlServer } from '../../adapters/dashboard/mysql/server.js';
import { checkMapping as checkOnPostgres } from '../../adapters/dashboard/postgres/checks/check-mapping.js';
import type { PostgresDashboard } from '../../adapters/dashboard/postgres/dashboard.js';
import { Probe, probeOn } from '../admin/probe.js';
import { check, failure, type HealthCheck, ok, warning } from './health-check.js';
import { connectionCheck, directConnectionCheck, postgresServer } from './postgres-checks.js';

const NAME = 'dashboard';
/** The check reads the ids of all rows. */
const MAPPING_TIMEOUT_MS = 60_000;

/** The doctor's checks that are specific to one kind of database. */
interface DashboardExamination {
  /** Whether the database can be reached. */
  readonly connection: HealthCheck;
  readonly server: readonly HealthCheck[];
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

function ofPostgres({ url, written }: PostgresDashboard, timeoutMs: number): DashboardExamination {
  const probe = probeOn(url, timeoutMs);
  const patient = probeOn(url, MAPPING_TIMEOUT_MS);
  return {
    connection: connectionCheck(NAME, 'WRITE_DATABASE_URL', postgresServer(probe)),
    server: [
      directConnectionCheck(NAME, 'WRITE_DATABASE_URL', probe),
      mappingCheck(() => patient.query((database) => checkOnPostgres(database, written))),
    ],
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
  return {
    connection: connectionCheck(NAME, 'WRITE_DATABASE_URL', () => probe.query(mysqlServer)),
    server: [mappingCheck(() => patient.query((database) => checkOnMysql(database, mapping)))],
    close: async () => void (await Promise.all([probe.close(), patient.close()])),
  };
}

/** Whether a mapping matches the current tables. */
function mappingCheck(read: () => Promise<MappingFindings>): HealthCheck {
  const ifItFails = 'run `npm run migrate`, which has no time limit';
  return check(`${NAME}: mapping`, ifItFails, read, ({ errors, warnings }) => {
    if (errors.length > 0)
      return failure(errors.join('; '), 'correct the file of DASHBOARD_MAPPING, then run `npm run migrate`');
    if (warnings.length === 0) return ok('fits the tables');
    return warning(warnings.join('; '), 'docs/dashboards.md explains each of them');
  });
}
