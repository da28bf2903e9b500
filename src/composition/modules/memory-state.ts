import { ContainerModule } from 'inversify';
import type { RequestLog } from '../../domain/ports/answering/request-log.js';
import type { ResponseCache } from '../../domain/ports/answering/response-cache.js';
import { TOKENS } from '../tokens.js';

/** A single process needs nothing beside its own windows and its own answers. */
export function memoryState(): ContainerModule {
  return new ContainerModule(({ bind }) => {
    bind(TOKENS.requestLog).toConstantValue(NOTHING_RECORDED);
    bind(TOKENS.responseCache).toConstantValue(NOTHING_CACHED);
  });
}

const NOTHING_RECORDED: RequestLog = { recordsWithinMs: 0, record: () => null };

const NOTHING_CACHED: ResponseCache = { get: async () => null, put: async () => {} };
