import type { MappingFindings } from '../../adapters/dashboard/mapping/mapping-findings.js';
import type { Server } from '../../adapters/dashboard/source/engine.js';
import { lastLeader } from '../../adapters/postgres/write/sync-state.js';
import { adviceOnConnection, useTls } from '../../adapters/sql/advice-on-connection.js';
import { LEADER_TIMEOUT_MS } from '../../composition/worker-parts.js';
import type { Check } from '../../domain/model/finding.js';
import { adviceOnReadTables, MIGRATE, type ReadTables } from '../admin/checks.js';
import { check, failure, ok, warning } from '../admin/examine.js';
import { CORRECT_MAPPING, changesWait, orGrant, ownSessions } from '../sync/worker-checks.js';

const OLDEST: Readonly<Record<Server['product'], string>> = {
  PostgreSQL: '14',
  MariaDB: '10.6',
  MySQL: '8.0',
};

const START_A_WORKER =
  'if no worker runs, start one: `npm run sync`; if one runs, see `syncing` in its /readyz, or its log';

/** Whether the database can be reached, and is recent enough. */
export function serverCheck(name: string, variable: string, server: () => Promise<Server>): Check {
  const adviceOn = orGrant(adviceOnConnection(variable));
  return check(name, adviceOn, server, ({ product, version, isUnencrypted }) => {
    const finding = `${product} ${version} answers`;
    if (version.localeCompare(OLDEST[product], 'en', { numeric: true }) < 0)
      return failure(finding, `upgrade ${product} to ${OLDEST[product]} or later`);
    if (!isUnencrypted) return ok(finding);
    return warning(`${finding}, on another machine, and without encryption`, useTls(variable));
  });
}

export function ownSessionsCheck(
  name: string,
  variable: string,
  sharesSessions: () => Promise<boolean>,
): Check {
  return check(`${name}: own sessions`, adviceOnConnection(variable), sharesSessions, (areShared) =>
    ownSessions(variable, areShared),
  );
}

export function leaderCheck(readTables: ReadTables): Check {
  const read = () => readTables.query((database) => lastLeader(database, LEADER_TIMEOUT_MS));
  return check('sync leader', adviceOnReadTables, read, (last) => {
    if (last === null) return failure('there is no leader', START_A_WORKER);
    // A failing worker leads again and again, for a moment each time.
    if (last.failure !== null) return changesWait(last.failure, START_A_WORKER);
    const finding = `${last.holder}, last beat ${last.lastBeatMs} ms ago`;
    if (!last.leads) return failure(`there is no leader; the last one was ${finding}`, START_A_WORKER);
    if (last.lastBeatMs <= LEADER_TIMEOUT_MS) return ok(finding);
    return failure(finding, 'it is frozen: kill it, and start another worker');
  });
}

/** Whether a mapping matches the current tables in everything. */
export function mappingInFullCheck(read: () => Promise<MappingFindings>): Check {
  const adviceOn = orGrant(() => `${MIGRATE}, which has no time limit`);
  return check('dashboard: mapping', adviceOn, read, ({ errors, warnings }) => {
    if (errors.length > 0) return failure(errors.join('; '), CORRECT_MAPPING);
    if (warnings.length === 0) return ok('fits the tables');
    return warning(warnings.join('; '), 'docs/dashboards.md explains each of them');
  });
}
