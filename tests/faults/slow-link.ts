import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const PIECE_BYTES = 16 * 1024;

/** A way to a server that carries so many bytes a second on each connection, each way. */
export class SlowLink {
  readonly #sockets = new Set<Socket>();
  readonly #listener: Server;

  private constructor(
    serverPort: number,
    private readonly bytesPerSecond: number,
  ) {
    this.#listener = createServer((client) => {
      const server = connect(serverPort, '127.0.0.1');
      for (const socket of [client, server]) this.#sockets.add(socket.setNoDelay().on('error', () => {}));
      this.#carry(client, server);
      this.#carry(server, client);
    });
  }

  static async before(serverPort: number, bytesPerSecond: number): Promise<SlowLink> {
    const link = new SlowLink(serverPort, bytesPerSecond);
    link.#listener.listen(0, '127.0.0.1');
    await once(link.#listener, 'listening');
    return link;
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

  #carry(from: Socket, to: Socket): void {
    let carried = Promise.resolve();
    from.on('data', (bytes) => {
      carried = carried.then(async () => {
        for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
          const piece = bytes.subarray(at, at + PIECE_BYTES);
          // What one packet holds takes no time to speak of.
          if (bytes.length > 1_500) await pause((1_000 * piece.length) / this.bytesPerSecond);
          to.write(piece);
        }
      });
    });
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
