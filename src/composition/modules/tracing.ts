import { ContainerModule } from 'inversify';
import type { Tracing } from '../../adapters/tracing/tracing.js';
import { TOKENS } from '../tokens.js';

/** Wraps existing bindings in spans. Without this module, nothing is wrapped. */
export function tracing(traces: Tracing): ContainerModule {
  return new ContainerModule(({ onActivation }) => {
    onActivation(TOKENS.log, (_, log) => {
      traces.logTo(log);
      return log;
    });
    onActivation(TOKENS.listener, (_, listener) => traces.aroundRequests(listener));
    onActivation(TOKENS.observe, (_, observe) => (request) => {
      traces.describeRequest(request);
      observe(request);
    });
    onActivation(TOKENS.admission, (_, admission) => traces.around('admission', admission));
    onActivation(TOKENS.authentication, (_, handler) => traces.around('authentication', handler));
    onActivation(TOKENS.requestLog, (_, log) => traces.around('request log', log));
    onActivation(TOKENS.generations, (_, generations) => traces.around('generation', generations));
    onActivation(TOKENS.responseCache, (_, cache) => traces.around('cache', cache));
    onActivation(TOKENS.keyTable, (_, table) => traces.around('query of keys', table));
    onActivation(TOKENS.blogReader, (_, reader) => traces.around('query of blogs', reader));
    onActivation(TOKENS.categoryReader, (_, reader) => traces.around('query of categories', reader));
    onActivation(TOKENS.tagReader, (_, reader) => traces.around('query of tags', reader));
  });
}
