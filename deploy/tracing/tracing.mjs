// Loaded before the program, by `node --import`. docs/operations/running.md describes it.
import { register } from 'node:module';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { KoaInstrumentation } from '@opentelemetry/instrumentation-koa';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { detectResources, envDetector } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

// Without this hook, packages that an ES module imports, such as Koa, are not instrumented.
register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
registerInstrumentations({
  instrumentations: [
    new HttpInstrumentation({
      // The operators' port is asked every few seconds.
      ignoreIncomingRequestHook: ({ url = '' }) => !url.startsWith('/api/'),
      // Clients put secrets in queries by mistake.
      startIncomingSpanHook: () => ({ 'url.query': '' }),
      headersToSpanAttributes: { server: { requestHeaders: ['x-request-id'] } },
    }),
    new KoaInstrumentation(),
    // Not the queries that look for changes ten times a second.
    new PgInstrumentation({ requireParentSpan: true }),
    new IORedisInstrumentation({ requireParentSpan: true, dbStatementSerializer: (command) => command }),
  ],
});
new NodeTracerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
}).register();
