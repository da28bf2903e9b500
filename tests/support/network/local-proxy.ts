import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Direction = 'request' | 'reply';

/** Stands before a server on this machine. What happens to the bytes on their way is up to each kind. */
export abstract class LocalProxy {
  readonly #sockets = new Set<Socket>();
  readonly #listener = createServer((client) => this.#accept(client));
  #port = 0;

  protected constructor(protected serverPort: number) {}

  get port(): number {
    return this.#port;
  }

  /** This URL by way of the proxy. */
  url(direct: string): string {
    const url = new URL(direct);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.href;
  }

  async stop(): Promise<void> {
    if (this.#listener.listening) await this.cut();
  }

  /** What one side sends to the other. */
  protected abstract carry(from: Socket, to: Socket, direction: Direction): void;

  /** On the same port each time. */
  protected async listen(): Promise<this> {
    this.#listener.listen(this.#port, '127.0.0.1');
    await once(this.#listener, 'listening');
    this.#port = (this.#listener.address() as AddressInfo).port;
    return this;
  }

  /** Connections break, and new ones are refused. */
  protected async cut(): Promise<void> {
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(client: Socket): void {
    const server = connect(this.serverPort, '127.0.0.1');
    this.#join(client, server, 'request');
    this.#join(server, client, 'reply');
  }

  #join(from: Socket, to: Socket, direction: Direction): void {
    this.#sockets.add(from);
    from.setNoDelay().on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    this.carry(from, to, direction);
  }
}
