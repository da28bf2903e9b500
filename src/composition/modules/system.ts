import { ContainerModule } from 'inversify';
import type { PrometheusMetrics } from '../../adapters/operations/prometheus-metrics.js';
import { PinoLog } from '../../adapters/system/pino-log.js';
import { Sha256KeyHasher } from '../../adapters/system/sha256-key-hasher.js';
import { SystemClock } from '../../adapters/system/system-clock.js';
import type { LogConfiguration } from '../configuration.js';
import { TOKENS } from '../tokens.js';

export function system(
  { logLevel, logPretty, isLogShared = false }: LogConfiguration,
  metrics: PrometheusMetrics,
): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.clock).toResolvedValue(() => new SystemClock());
    bind(TOKENS.keyHasher).toResolvedValue(() => new Sha256KeyHasher());
    bind(TOKENS.prometheus).toConstantValue(metrics);
    bind(TOKENS.metrics).toResolvedValue((prometheus) => prometheus, [TOKENS.prometheus]);
    bind(TOKENS.log).toResolvedValue(
      () => new PinoLog(logLevel, logPretty ?? process.stdout.isTTY === true, { isShared: isLogShared }),
    );
  });
}
