import type { RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import {
  context,
  DiagLogLevel,
  diag,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { DomainError } from '../../domain/errors.js';
import type { Log } from '../../domain/ports/log.js';

const NAME = 'blog-read-api';
/** An unreachable collector must not delay the end of the program. */
const EXPORT_TIMEOUT_MS = 2_000;

/** What a span holds about a request. It holds nothing that the caller wrote. */
interface TracedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly source: string | null;
}

/** Spans of the API over OTLP/HTTP; the SDK reads its settings (`OTEL_*`) itself. */
export class Tracing {
  readonly #tracer: Tracer;
  readonly #provider: NodeTracerProvider;

  constructor() {
    this.#provider = new NodeTracerProvider({
      resource: defaultResource()
        .merge(resourceFromAttributes({ 'service.name': NAME }))
        .merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    });
    // Parents of spans are found across awaits, and the caller's span in `traceparent`.
    this.#provider.register();
    this.#tracer = trace.getTracer(NAME);
  }

  /** Logs the messages of the SDK: mostly that the collector is unreachable. */
  logTo(log: Log): void {
    const logDiagnostic = (message: string) => log.debug('tracing', { message });
    diag.setLogger(
      { error: logDiagnostic, warn: logDiagnostic, info: logDiagnostic, debug() {}, verbose() {} },
      DiagLogLevel.WARN,
    );
  }

  /** Wraps each request in a span, from its headers to the end of its answer. */
  aroundRequests(listener: RequestListener): RequestListener {
    return (request, response) => {
      const caller = propagation.extract(ROOT_CONTEXT, request.headers);
      const span = this.#tracer.startSpan('request', { kind: SpanKind.SERVER }, caller);
      response.once('close', () => span.end());
      context.with(trace.setSpan(caller, span), () => listener(request, response));
    };
  }

  /** Sets name and attributes of the current request's span once the request is served. */
  describeRequest({ method, route, status, source }: TracedRequest): void {
    const span = trace.getActiveSpan();
    span?.updateName(`${method} ${route}`);
    span?.setAttributes({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      ...(source !== null && { 'blog_read_api.source': source }),
    });
    if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
  }

  /** The same object, with a span around each method call until its promise settles. */
  around<Service extends object>(name: string, service: Service): Service {
    return new Proxy(service, {
      get: (target, property) => {
        const member = Reflect.get(target, property);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) =>
          this.#tracer.startActiveSpan(name, (span) => endWith(span, () => member.apply(target, args)));
      },
    });
  }

  /** Sends the remaining spans first. */
  async stop(): Promise<void> {
    const sent = this.#provider.shutdown().catch(() => {});
    await Promise.race([sent, pause(EXPORT_TIMEOUT_MS, undefined, { ref: false })]);
  }
}

function endWith(span: Span, work: () => unknown): unknown {
  let result: unknown;
  try {
    result = work();
  } catch (error) {
    endFailed(span, error);
    throw error;
  }
  if (!(result instanceof Promise)) {
    span.end();
    return result;
  }
  result.then(
    () => span.end(),
    (error: unknown) => endFailed(span, error),
  );
  return result;
}

/** Does not record the error itself: its message may hold what a caller wrote. */
function endFailed(span: Span, error: unknown): void {
  // A refusal is a normal answer.
  if (!(error instanceof DomainError)) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
