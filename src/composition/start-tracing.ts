import type { Tracing } from '../adapters/tracing/tracing.js';
import type { Environment } from './settings/read-settings.js';

/** Null, without loading anything, unless the standard variables request traces. */
export async function startTracing(environment: Environment): Promise<Tracing | null> {
  if (!isTracingConfigured(environment)) return null;
  const { Tracing } = await import('../adapters/tracing/tracing.js');
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
