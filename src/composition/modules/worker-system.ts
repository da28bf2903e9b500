import { ContainerModule } from 'inversify';
import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import type { OutputStream } from '../../adapters/system/log-output.js';
import type { SyncConfiguration } from '../configuration.js';
import { openLog } from '../open-log.js';
import { TOKENS } from '../tokens.js';

/** What the sync worker has for as long as it runs. */
export function workerSystem(
  configuration: SyncConfiguration,
  prometheus: PrometheusMetrics,
  logTo: OutputStream,
): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.metrics).toConstantValue(prometheus);
    bind(TOKENS.log).toResolvedValue((events) => openLog(configuration, events, logTo), [TOKENS.metrics]);
  });
}
