import { ownFacts } from '../../adapters/dashboard/mysql/capture/capture-facts.js';
import { checkMapping } from '../../adapters/dashboard/mysql/checks/check-mapping.js';
import type { MysqlDashboard } from '../../adapters/dashboard/mysql/dashboard.js';
import { MysqlWorkerConnection, mysqlFacts } from '../../adapters/dashboard/mysql/server.js';
import type { Clock } from '../../domain/ports/clock.js';
import { Probe } from '../admin/probe.js';
import type { DashboardExamination } from './dashboard-examination.js';
import { ok, warning } from './health-check.js';
import { MAPPING_TIMEOUT_MS, mappingCheck } from './mapping-check.js';
import { MysqlRights } from './mysql-rights.js';
import { clockCheck, connectionCheck, versionCheck } from './server-checks.js';

const NAME = 'dashboard';

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
  const connection = connectionCheck(NAME, 'WRITE_DATABASE_URL', facts);
  return {
    connection: {
      ...connection,
      run: async () => {
        try {
          return await connection.run();
        } catch (error) {
          const verdict = rights.ofUnopened(error, url);
          if (verdict === null) throw error;
          return verdict;
        }
      },
    },
    server: [
      versionCheck(NAME, facts),
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
      clockCheck(NAME, clock, facts),
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
