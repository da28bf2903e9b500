import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expectDocumented } from './documented-answers.js';

const agent = new Agent({ keepAlive: true });

/** An answer as received: not decompressed, redirects not followed. */
export class ReceivedAnswer {
  constructor(
    readonly status: number,
    readonly headers: IncomingHttpHeaders,
    readonly body: Buffer,
  ) {}

  get text(): string {
    return this.body.toString('utf8');
  }

  json() {
    return JSON.parse(this.text);
  }

  get decompressed(): string {
    if (this.body.length === 0) return '';
    switch (this.headers['content-encoding']) {
      case 'br':
        return brotliDecompressSync(this.body).toString('utf8');
      case 'gzip':
        return gunzipSync(this.body).toString('utf8');
      default:
        return this.text;
    }
  }
}

/**
 * Sends the path exactly as given, which `fetch` does not do. A header with an array of values is sent repeatedly. On
 * the public port, an answer that the API's description does not promise is an error.
 */
export function sendRequest(
  address: string,
  path: string,
  headers: OutgoingHttpHeaders = {},
  method = 'GET',
): Promise<ReceivedAnswer> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, headers, method, agent }, async (incoming) => {
      try {
        const chunks = await incoming.toArray();
        const answer = new ReceivedAnswer(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks));
        expectDocumented({ method, path, ...answer, text: answer.decompressed });
        resolve(answer);
      } catch (error) {
        reject(error);
      }
    });
    outgoing.on('error', reject).end();
  });
}
