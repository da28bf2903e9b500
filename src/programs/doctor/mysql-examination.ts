import { ownFacts } from '../../adapters/dashboard/mysql/capture-facts.js';
import { checkMapping } from '../../adapters/dashboard/mysql/check-mapping.js';
import { MysqlWorkerConnection } from '../../adapters/dashboard/mysql/mysql-worker-connection.js';
import { mysqlFacts } from '../../adapters/dashboard/mysql/server-facts.js';
import type { Clock } from '../../domain/ports/clock.js';
import { Probe } from '../admin/probe.js';
import type { MysqlDashboard } from '../dashboards/mysql-dashboard.js';
import { clockSkew } from './clock-skew.js';
import type { DashboardExamination } from './dashboard-examination.js';
import { failure, ok, warning } from './health-check.js';
import { MAPPING_TIMEOUT_MS, mappingCheck } from './mapping-check.js';
import { MysqlRights } from './mysql-rights.js';

const NAME = 'dashboard';
const OLDEST = { MariaDB: [10, 6], MySQL: [8, 0] } as const;

/** The doctor's checks of a MySQL or MariaDB. */
export function examineMysql(
  { url, mapping }: MysqlDashboard,
  timeoutMs: number,
  clock: Clock,
): DashboardExamination {
  const connect = (name: string) => {
    const connection = new MysqlWorkerConnection(url, name);
    return { target: connection.database, close: () => connection.close() };
  };
  const probe = new Probe(connect, timeoutMs);
  const patient = new Probe(connect, MAPPING_TIMEOUT_MS);
  const facts = () => probe.query(mysqlFacts);
  const rights = new MysqlRights(probe, mapping);
  return {
    connection: {
      name: NAME,
      ifItFails:
        'check that the server runs and accepts connections from here, and that WRITE_DATABASE_URL is correct',
      run: async () => {
        try {
          const { product, version } = await facts();
          return ok(`${product} ${version} answers`);
        } catch (error) {
          const verdict = rights.ofUnopened(error, url);
          if (verdict === null) throw error;
          return verdict;
        }
      },
    },
    server: [
      {
        name: `${NAME}: version`,
        ifItFails: `see ${NAME}`,
        run: async () => {
          const { product, version } = await facts();
          const [major, minor] = version.split('.').map(Number) as [number, number];
          const [oldestMajor, oldestMinor] = OLDEST[product];
          if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok(version);
          return failure(version, `upgrade ${product} to ${oldestMajor}.${oldestMinor} or later`);
        },
      },
      {
        name: `${NAME}: binary log`,
        ifItFails: `see ${NAME}`,
        run: async () => {
          const { binlogFormat } = await facts();
          if (binlogFormat !== 'STATEMENT') return ok(binlogFormat);
          return warning(
            binlogFormat,
            'set binlog_format to ROW or MIXED: otherwise a replica records its own changes, and a failover applies them again',
          );
        },
      },
      {
        name: `${NAME}: clock`,
        ifItFails: `see ${NAME}`,
        run: () => clockSkew(clock, async () => (await facts()).clockMs),
      },
      rights.before(
        mappingCheck(() =>
          patient.query(async (database) => checkMapping(database, mapping, await ownFacts(database))),
        ),
      ),
    ],
    rights: [rights.check],
    close: async () => void (await Promise.all([probe.close(), patient.close()])),
  };
}
