import { Container, type ServiceIdentifier } from 'inversify';
import type { PrometheusMetrics } from '../adapters/operations/prometheus-metrics.js';
import type { OutputStream } from '../adapters/system/log-output.js';
import { bindExtended, createPorts, type Extended, isLasting } from './extensions/extend.js';
import { LASTING_PORTS } from './extensions/ports.js';
import { openLog } from './open-log.js';
import type { LogConfiguration } from './settings/configuration.js';
import { TOKENS } from './tokens.js';

/** What the sync worker has for as long as it runs. */
export function workerContainer(
  configuration: LogConfiguration,
  prometheus: PrometheusMetrics,
  logTo: OutputStream,
  extended: Extended,
): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(TOKENS.metrics).toConstantValue(prometheus);
  container
    .bind(TOKENS.log)
    .toResolvedValue((events) => openLog(configuration, events, logTo), [TOKENS.metrics]);
  bindExtended(container, extended, isLasting);
  createPorts(container, Object.values<ServiceIdentifier>(LASTING_PORTS), extended.replaced);
  return container;
}
