import { ContainerModule } from 'inversify';
import { MemoryRequestLog } from '../../adapters/memory/memory-request-log.js';
import { MemoryResponseCache } from '../../adapters/memory/memory-response-cache.js';
import { TOKENS } from '../tokens.js';

/** Limiter and cache of a single process, and the generations of the read tables. */
export function memoryState(): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.generations).toResolvedValue((table) => table, [TOKENS.generationsForRequests]);
    bind(TOKENS.requestLog).toResolvedValue((clock) => new MemoryRequestLog(clock), [TOKENS.monotonicClock]);
    bind(TOKENS.localAnswers).toResolvedValue((clock) => new MemoryResponseCache(clock), [TOKENS.clock]);
    bind(TOKENS.responseCache).toResolvedValue((local) => local, [TOKENS.localAnswers]);
    bind(TOKENS.lastAnswers).toResolvedValue((local) => local, [TOKENS.localAnswers]);
  });
}
