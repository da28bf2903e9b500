import { ContainerModule } from 'inversify';
import { MemoryRequestLog } from '../../adapters/memory/memory-request-log.js';
import { MemoryResponseCache } from '../../adapters/memory/memory-response-cache.js';
import { TOKENS } from '../tokens.js';

/** Limiter and cache of a single process. */
export function memoryState(): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.requestLog).toDynamicValue(({ get }) => new MemoryRequestLog(get(TOKENS.monotonicClock)));
    bind(TOKENS.responseCache).toDynamicValue(({ get }) => new MemoryResponseCache(get(TOKENS.clock)));
  });
}
