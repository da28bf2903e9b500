import { ContainerModule } from 'inversify';
import type { Tracing } from '../../adapters/tracing/tracing.js';
import type { Environment } from '../settings/read-settings.js';
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

/** Null, without loading anything, unless the standard variables request traces. */
export async function startTracing(environment: Environment): Promise<Tracing | null> {
  if (!isTracingConfigured(environment)) return null;
  const { Tracing } = await import('../../adapters/tracing/tracing.js');
  return new Tracing();
}

function isTracingConfigured({
  OTEL_SDK_DISABLED: disabled,
  OTEL_TRACES_EXPORTER: exporter,
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: tracesEndpoint,
}: Environment): boolean {
  if (disabled === 'true' || exporter === 'none') return false;
  return (
    exporter === 'otlp' || [endpoint, tracesEndpoint].some((value) => value !== undefined && value !== '')
  );
}
