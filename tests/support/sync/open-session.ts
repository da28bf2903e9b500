import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { extendedWorker } from '../../../src/composition/extensions/extend.js';
import { SESSION } from '../../../src/composition/tokens.js';
import { workerParts } from '../../../src/composition/worker-parts.js';
import type { Log } from '../../../src/domain/ports/system/log.js';
import type { Metrics } from '../../../src/domain/ports/system/metrics.js';
import type { LastWritten } from '../../../src/programs/sync/known-databases.js';
import {
  openSyncSession,
  type SyncDatabases,
  sharedBySessions,
} from '../../../src/programs/sync/sync-session.js';

export type OpenedSession = ReturnType<typeof openSession>;

/** A session without extensions. */
export function openSession(
  databases: SyncDatabases,
  metrics: Metrics,
  log: Log,
  lastWritten: LastWritten = { identity: null },
) {
  const extended = extendedWorker([], {});
  const options = { logLevel: 'silent', logPretty: false } as const;
  const { openSession } = workerParts(options, new PrometheusMetrics(), process.stdout, extended);
  const shared = { ...sharedBySessions(), lastWritten };
  const session = openSyncSession(databases, metrics, log, extended, openSession, shared);
  const [dashboard, readTables] = [session.dashboard, session.tablesOf(SESSION.leadership)];
  if (dashboard === null || readTables === null) throw new Error('The session lacks a database');
  return { ...session, dashboard, readTables };
}
