import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { type Readiness, readinessBody } from './readiness.js';

/** A document that does not change while the program runs, and is made when someone asks for it. */
export interface Document {
  readonly contentType: string;
  body(): Promise<string | Uint8Array>;
}

/** The response to a scrape. */
export interface Scraped {
  readonly contentType: string;
  text(): Promise<string>;
}

interface SentDocument {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/** Documents by path. */
export type Documents = Readonly<Record<string, Document>>;

const API_PATH = '/api/';
/** For the HTML documents: they load resources of this server only. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * The operators' port. Requests to the API go to the API itself, if this program has one, so that a
 * page here can call it and the public port needs no CORS.
 */
export class OperationsServer {
  readonly #server: Server;
  readonly #routes: ReadonlyMap<string, () => Promise<SentDocument>>;

  constructor(
    readiness: Readiness,
    metrics: Scraped,
    documents: Documents,
    api: () => RequestListener | null,
  ) {
    this.#routes = new Map([
      ['/livez', async () => json(200, { status: 'alive' })],
      ['/readyz', () => readinessDocument(readiness)],
      [
        '/metrics',
        async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.text() }),
      ],
      ...Object.entries(documents).map(
        ([path, { contentType, body }]) =>
          [path, async () => ({ status: 200, contentType, body: await body() })] as const,
      ),
    ]);
    this.#server = createServer({ requestTimeout: 10_000 }, (request, response) => {
      const serveApi = request.url?.startsWith(API_PATH) ? api() : null;
      if (serveApi !== null) return serveApi(request, response);
      this.#documentFor(request)
        .catch((error: unknown) =>
          json(500, { error: error instanceof Error ? error.message : String(error) }),
        )
        .then((document) => send(request, response, document));
    });
  }

  /** Returns the address in the form http://host:port. */
  async start(port: number, host: string): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    const { address, family, port: actualPort } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${actualPort}`;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = promisify(this.#server.close.bind(this.#server))();
    this.#server.closeAllConnections();
    await closed;
  }

  async #documentFor({ method, url = '/' }: IncomingMessage): Promise<SentDocument> {
    const route = this.#routes.get(url.split('?')[0] ?? '/');
    if (route === undefined) return json(404, { error: 'No such path', paths: [...this.#routes.keys()] });
    if (method !== 'GET' && method !== 'HEAD') return json(405, { error: 'Only GET and HEAD' });
    return route();
  }
}

async function readinessDocument(readiness: Readiness): Promise<SentDocument> {
  const report = await readiness.report();
  return json(['ready', 'degraded'].includes(report.status) ? 200 : 503, readinessBody(report));
}

function json(status: number, content: object): SentDocument {
  return { status, contentType: 'application/json; charset=utf-8', body: `${JSON.stringify(content)}\n` };
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status, contentType, body }: SentDocument,
): void {
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...(status === 405 && { Allow: 'GET, HEAD' }),
  });
  response.end(method === 'HEAD' ? undefined : body);
}
