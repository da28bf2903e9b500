import { checkMapping } from '../../adapters/dashboard/postgres/check-mapping.js';
import type { Clock } from '../../domain/ports/clock.js';
import { probeOn } from '../admin/probe.js';
import type { PostgresDashboard } from '../dashboards/postgres-dashboard.js';
import type { DashboardExamination } from './dashboard-examination.js';
import { MAPPING_TIMEOUT_MS, mappingCheck } from './mapping-check.js';
import { workerRightsIn } from './needed-rights.js';
import { rightsCheck } from './rights-check.js';
import { connectionCheck, directConnectionCheck, serverChecks } from './server-checks.js';

const NAME = 'dashboard';

/** The doctor's checks of a PostgreSQL. */
export function examinePostgres(
  { url, written, captured, isReference }: PostgresDashboard,
  timeoutMs: number,
  clock: Clock,
): DashboardExamination {
  const probe = probeOn(url, timeoutMs);
  const patient = probeOn(url, MAPPING_TIMEOUT_MS);
  return {
    connection: connectionCheck(NAME, 'WRITE_DATABASE_URL', probe),
    server: [
      ...serverChecks(NAME, probe, clock),
      directConnectionCheck(NAME, 'WRITE_DATABASE_URL', probe),
      mappingCheck(() => patient.query((database) => checkMapping(database, written))),
    ],
    rights: [rightsCheck(`${NAME}: rights`, probe, workerRightsIn(captured.tables, isReference))],
    close: async () => void (await Promise.all([probe.close(), patient.close()])),
  };
}
