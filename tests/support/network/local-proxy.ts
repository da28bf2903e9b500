import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Direction = 'request' | 'reply';

/** A proxy before a server on this machine. Each subclass decides what happens to the bytes. */
export abstract class LocalProxy {
  protected readonly sockets = new Set<Socket>();
  readonly #listener = createServer((client) => this.#accept(client));
  #port = 0;

  protected constructor(protected serverPort: number) {}

  get port(): number {
    return this.#port;
  }

  /** This URL through the proxy. */
  url(direct: string): string {
    const url = new URL(direct);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.href;
  }

  async stop(): Promise<void> {
    if (this.#listener.listening) await this.cut();
  }

  /** Forwards what one side sends to the other. */
  protected abstract carry(from: Socket, to: Socket, direction: Direction): void;

  /** Listens on the same port each time. */
  protected async listen(): Promise<this> {
    this.#listener.listen(this.#port, '127.0.0.1');
    await once(this.#listener, 'listening');
    this.#port = (this.#listener.address() as AddressInfo).port;
    return this;
  }

  /** Breaks connections and refuses new ones. */
  protected async cut(): Promise<void> {
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  #accept(client: Socket): void {
    const server = connect(this.serverPort, '127.0.0.1');
    this.#join(client, server, 'request');
    this.#join(server, client, 'reply');
  }

  #join(from: Socket, to: Socket, direction: Direction): void {
    this.sockets.add(from);
    from.setNoDelay().on('error', () => {});
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
    this.carry(from, to, direction);
  }
}
