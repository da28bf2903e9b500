import { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import type { Extended } from '../../composition/extensions/extend.js';
import type { WorkerAdditions } from '../../composition/extensions/extension.js';
import type { SyncConfiguration } from '../../composition/settings/configuration.js';
import { SyncProgram } from './sync-program.js';
import type { SyncSession } from './sync-session.js';

/** For an operator who reads the state of a worker or gives it an instruction. The session neither leads nor publishes. */
export async function withSession(
  configuration: SyncConfiguration,
  extended: Extended<WorkerAdditions> | undefined,
  work: (session: SyncSession) => Promise<void>,
): Promise<void> {
  const settings = { ...configuration, logPretty: false, redisUrls: null };
  const program = new SyncProgram(settings, new PrometheusMetrics(), process.stderr, extended);
  try {
    await program.withSession(work);
  } finally {
    await program.stop();
  }
}
