import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy that can stop forwarding, like a network that loses packets: connections stay open, but no data arrives. */
export class SilentProxy {
  readonly #sockets: Socket[] = [];
  readonly #server = createServer((client) => {
    const server = connect(Number(this.target.port), this.target.hostname);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.push(from);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
      from.pipe(to);
    }
  });

  private constructor(private readonly target: URL) {}

  static async before(url: string): Promise<SilentProxy> {
    const proxy = new SilentProxy(new URL(url));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** Affects existing connections only; later ones are forwarded. */
  stopForwarding(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
