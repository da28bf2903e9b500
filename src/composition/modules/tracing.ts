import { ContainerModule } from 'inversify';
import type { Tracing } from '../../adapters/tracing/tracing.js';
import { TOKENS } from '../tokens.js';

/** Wraps the ports in spans. Without this module, none is wrapped. */
export function tracing(traces: Tracing): ContainerModule {
  return new ContainerModule(({ onActivation }) => {
    onActivation(TOKENS.log, (_, log) => {
      traces.logTo(log);
      return log;
    });
    onActivation(TOKENS.requestLog, (_, log) => traces.around('request log', log));
    onActivation(TOKENS.responseCache, (_, cache) => traces.around('cache', cache));
    onActivation(TOKENS.keyTable, (_, table) => traces.around('query of keys', table));
    onActivation(TOKENS.blogReader, (_, reader) => traces.around('query of blogs', reader));
    onActivation(TOKENS.categoryReader, (_, reader) => traces.around('query of categories', reader));
    onActivation(TOKENS.tagReader, (_, reader) => traces.around('query of tags', reader));
  });
}
