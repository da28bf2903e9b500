import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Span {
  /** What made it, such as `koa`. */
  readonly by: string;
  readonly name: string;
  readonly traceId: string;
  readonly service: string;
  readonly attributes: string;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string };
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly attributes: readonly Attribute[];
      }[];
    }[];
  }[];
}

/** Receives spans as OTLP/HTTP with JSON. */
export class SpanCollector {
  readonly spans: Span[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      if (request.url === '/v1/traces') this.#receive(JSON.parse(await text(request)));
      response.end('{}');
    });
  }

  static async open(): Promise<SpanCollector> {
    const collector = new SpanCollector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #receive({ resourceSpans }: Export): void {
    for (const { resource, scopeSpans } of resourceSpans)
      for (const { scope, spans } of scopeSpans)
        for (const { name, traceId, attributes } of spans)
          this.spans.push({
            by: scope.name.replace('@opentelemetry/instrumentation-', ''),
            name,
            traceId,
            service: attributeOf(resource.attributes, 'service.name'),
            attributes: JSON.stringify(attributes),
          });
  }
}

function attributeOf(attributes: readonly Attribute[], key: string): string {
  return attributes.find((attribute) => attribute.key === key)?.value.stringValue ?? '';
}
