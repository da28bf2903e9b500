import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Trouble = (response: ServerResponse, incoming: IncomingMessage) => void;

/** A proxy before the API. It forwards requests, but each trouble on its list affects one request first. */
export class FlakyServer {
  /** All received requests, including the troubled ones. */
  readonly requests: IncomingMessage[] = [];
  #troubles: Trouble[] = [];
  readonly #server = createServer((incoming, response) => {
    this.requests.push(incoming);
    const trouble = this.#troubles.shift() ?? this.#passOn;
    trouble(response, incoming);
  });

  private constructor(private readonly api: string) {}

  static async before(api: string): Promise<FlakyServer> {
    const server = new FlakyServer(api);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the troubles of the next requests and forgets the recorded ones. */
  expectTroubles(...troubles: readonly Trouble[]): void {
    this.#troubles = [...troubles];
    this.requests.length = 0;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  readonly #passOn: Trouble = (response, { method, url, headers }) => {
    const outgoing = request(`${this.api}${url}`, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy()).end();
  };
}

/** An answer that does not come from the API. */
export function answers(status: number, headers: Record<string, string> = {}, body = ''): Trouble {
  return (response) => response.writeHead(status, headers).end(body);
}

export const hangsUp: Trouble = (response) => response.destroy();

/** Begins an answer and never ends it. */
export const stalls: Trouble = (response) =>
  response.writeHead(200, { 'Content-Length': '100' }).write('{"data":');

export const hangsUpHalfway: Trouble = (response) => {
  const begun = response.writeHead(200, { 'Content-Length': '100' });
  begun.write('{"data":', () => response.destroy());
};
