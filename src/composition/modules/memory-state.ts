import { ContainerModule } from 'inversify';
import { MemoryRequestLog } from '../../adapters/memory/memory-request-log.js';
import { MemoryResponseCache } from '../../adapters/memory/memory-response-cache.js';
import type { PublishedGenerations } from '../../domain/ports/reading/published-generations.js';
import { TOKENS } from '../tokens.js';

/** Limiter and cache of a single process. */
export function memoryState(): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.publishedGenerations).toConstantValue(NOTHING_PUBLISHED);
    bind(TOKENS.requestLog).toDynamicValue(({ get }) => new MemoryRequestLog(get(TOKENS.monotonicClock)));
    bind(TOKENS.responseCache).toDynamicValue(({ get }) => new MemoryResponseCache(get(TOKENS.clock)));
  });
}

/** Without Redis, a process learns of generations from the read tables alone. */
export const NOTHING_PUBLISHED: PublishedGenerations = {
  publish: async () => {},
  published: async () => null,
};
