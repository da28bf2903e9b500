import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands before a server and passes everything on, with one word of its replies changed for another of the same length. */
export class RetellingProxy {
  readonly #sockets = new Set<Socket>();
  readonly #listener: Server;

  private constructor(serverPort: number, told: string, retold: string) {
    if (told.length !== retold.length) throw new Error(`"${told}" and "${retold}" differ in length`);
    this.#listener = createServer((client) => {
      const server = connect(serverPort, '127.0.0.1');
      client.pipe(server);
      server.on('data', (bytes) => client.write(bytes.toString('latin1').replaceAll(told, retold), 'latin1'));
      for (const socket of [client, server]) this.#sockets.add(socket.on('error', () => {}));
    });
  }

  static async before(serverPort: number, told: string, retold: string): Promise<RetellingProxy> {
    const proxy = new RetellingProxy(serverPort, told, retold);
    proxy.#listener.listen(0, '127.0.0.1');
    await once(proxy.#listener, 'listening');
    return proxy;
  }

  url(direct: string): string {
    const url = new URL(direct);
    url.hostname = '127.0.0.1';
    url.port = String((this.#listener.address() as AddressInfo).port);
    return url.href;
  }

  stop(): void {
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
