import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { WebhookEndpoint, WebhookMessage } from '../../../src/domain/model/webhook.js';

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export interface ReceivedCall {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A website that is told, on a free port. `answer` decides what it answers. */
export class Receiver {
  readonly calls: ReceivedCall[] = [];
  answer: (response: ServerResponse, call: ReceivedCall) => void = (response) =>
    response.writeHead(204).end();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { method, url: path, headers } = request;
      const call = { method, path, headers, body: Buffer.concat(chunks).toString() };
      this.calls.push(call);
      this.answer(response, call);
    });
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** What the calls said, in their order. */
  get messages(): readonly WebhookMessage[] {
    return this.calls.map(({ body }) => JSON.parse(body).data);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function endpointAt(url: string, ...secrets: readonly string[]): WebhookEndpoint {
  const keys = (secrets.length === 0 ? [SECRET] : secrets).map(keyOf);
  const all = { organizationId: null, websiteId: null, headers: {}, atMostEveryMs: 0 };
  return { id: url, name: 'receiver', url, ...all, secrets: keys, file: 'file' };
}

export function keyOf(secret: string): Buffer {
  return Buffer.from(secret.replace('whsec_', ''), 'base64');
}

/** As a receiver verifies it, at the time of the call. */
export function isSignedWith(secret: string, { headers, body }: ReceivedCall): boolean {
  const given = { ...headers } as Record<string, string>;
  try {
    new Webhook(secret).verify(body, given);
    return true;
  } catch {
    return false;
  }
}
