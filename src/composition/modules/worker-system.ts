import { ContainerModule } from 'inversify';
import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import { PinoLog } from '../../adapters/system/pino-log.js';
import type { SyncConfiguration } from '../configuration.js';
import { TOKENS } from '../tokens.js';

/** What the sync worker has for as long as it runs. */
export function workerSystem(
  { logLevel, logPretty }: SyncConfiguration,
  prometheus: PrometheusMetrics,
  logTo: NodeJS.WriteStream,
): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.metrics).toConstantValue(prometheus);
    bind(TOKENS.log).toResolvedValue(
      () => new PinoLog(logLevel, logPretty ?? logTo.isTTY === true, { destination: logTo }),
    );
  });
}
