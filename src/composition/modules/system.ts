import { ContainerModule } from 'inversify';
import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import { MonotonicClock } from '../../adapters/system/monotonic-clock.js';
import { Sha256KeyHasher } from '../../adapters/system/sha256-key-hasher.js';
import { SystemClock } from '../../adapters/system/system-clock.js';
import { openLog } from '../open-log.js';
import type { LogConfiguration } from '../settings/configuration.js';
import { TOKENS } from '../tokens.js';

export function system(configuration: LogConfiguration, metrics: PrometheusMetrics): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.clock).toResolvedValue(() => new SystemClock());
    bind(TOKENS.monotonicClock).toResolvedValue(() => new MonotonicClock());
    bind(TOKENS.keyHasher).toResolvedValue(() => new Sha256KeyHasher());
    bind(TOKENS.prometheus).toConstantValue(metrics);
    bind(TOKENS.metrics).toResolvedValue((prometheus) => prometheus, [TOKENS.prometheus]);
    bind(TOKENS.log).toResolvedValue((events) => openLog(configuration, events), [TOKENS.metrics]);
  });
}
