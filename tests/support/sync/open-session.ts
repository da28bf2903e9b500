import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { extendedWorker } from '../../../src/composition/extensions/extend.js';
import { workerParts } from '../../../src/composition/worker-parts.js';
import type { Log } from '../../../src/domain/ports/system/log.js';
import type { Metrics } from '../../../src/domain/ports/system/metrics.js';
import type { LastWritten } from '../../../src/programs/sync/known-databases.js';
import {
  openSyncSession,
  type SyncDatabases,
  type SyncSession,
  sharedBySessions,
} from '../../../src/programs/sync/sync-session.js';

/** A session without extensions. */
export function openSession(
  databases: SyncDatabases,
  metrics: Metrics,
  log: Log,
  lastWritten: LastWritten = { identity: null },
): SyncSession {
  const extended = extendedWorker([], {});
  const options = { logLevel: 'silent', logPretty: false } as const;
  const { openSession } = workerParts(options, new PrometheusMetrics(), process.stdout, extended);
  return openSyncSession(databases, metrics, log, extended, openSession, {
    ...sharedBySessions(),
    lastWritten,
  });
}
