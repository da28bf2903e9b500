import { ContainerModule } from 'inversify';
import { MonotonicClock } from '../../adapters/system/monotonic-clock.js';
import { Sha256KeyHasher } from '../../adapters/system/sha256-key-hasher.js';
import { SystemClock } from '../../adapters/system/system-clock.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import { openLog } from '../open-log.js';
import type { LogConfiguration } from '../settings/configuration.js';
import { TOKENS } from '../tokens.js';

export function system(configuration: LogConfiguration, metrics: Metrics): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.clock).toResolvedValue(() => new SystemClock());
    bind(TOKENS.monotonicClock).toResolvedValue(() => new MonotonicClock());
    bind(TOKENS.keyHasher).toResolvedValue(() => new Sha256KeyHasher());
    bind(TOKENS.metrics).toConstantValue(metrics);
    bind(TOKENS.log).toResolvedValue(() => openLog(configuration));
  });
}
