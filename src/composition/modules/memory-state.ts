import { ContainerModule } from 'inversify';
import { MemoryRequestLog } from '../../adapters/memory/memory-request-log.js';
import { MemoryResponseCache } from '../../adapters/memory/memory-response-cache.js';
import { LOCAL_CACHE_BYTES } from '../local-cache-bytes.js';
import { TOKENS } from '../tokens.js';

/** Limiter and cache of a single process, and the generations of the read tables. */
export function memoryState(): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.generations).toResolvedValue((table) => table, [TOKENS.askedGenerations]);
    bind(TOKENS.requestLog).toResolvedValue((clock) => new MemoryRequestLog(clock), [TOKENS.clock]);
    bind(TOKENS.nearAnswers).toResolvedValue(
      (clock) => new MemoryResponseCache(clock, LOCAL_CACHE_BYTES),
      [TOKENS.clock],
    );
    bind(TOKENS.responseCache).toResolvedValue((near) => near, [TOKENS.nearAnswers]);
    bind(TOKENS.lastAnswers).toResolvedValue((near) => near, [TOKENS.nearAnswers]);
  });
}
