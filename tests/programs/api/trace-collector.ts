import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly hasFailed: boolean;
}

interface Message {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

type SentSpan = Omit<CollectedSpan, 'attributes' | 'hasFailed' | 'parentSpanId'> & {
  readonly parentSpanId?: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
};

const ERROR = 2;

/** Accepts OTLP over HTTP, as JSON. */
export class TraceCollector {
  readonly bodies: string[] = [];
  readonly #server = createServer(async (request, response) => {
    await this.#take(request);
    response.setHeader('Content-Type', 'application/json').end('{}');
  });

  static async start(): Promise<TraceCollector> {
    const collector = new TraceCollector();
    collector.#server.listen(0, '127.0.0.1');
    await once(collector.#server, 'listening');
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get services(): readonly string[] {
    return this.#messages.map(({ resource }) => String(toRecord(resource.attributes)['service.name']));
  }

  get spans(): readonly CollectedSpan[] {
    return this.#messages.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(toSpan)));
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  get #messages() {
    return this.bodies.flatMap((body) => (JSON.parse(body) as Message).resourceSpans);
  }

  async #take(request: IncomingMessage): Promise<void> {
    const body = await text(request);
    if (request.method === 'POST' && request.url === '/v1/traces') this.bodies.push(body);
  }
}

function toSpan({ attributes, status, parentSpanId, ...span }: SentSpan): CollectedSpan {
  return {
    ...span,
    parentSpanId: parentSpanId ?? null,
    attributes: toRecord(attributes),
    hasFailed: status.code === ERROR,
  };
}

function toRecord(attributes: readonly Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}
