import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { LocalProxy } from '../../support/network/local-proxy.js';

const CHUNK_BYTES = 16 * 1024;

/** A connection to a server that carries this many bytes a second in each direction. */
export class SlowLink extends LocalProxy {
  private constructor(
    serverPort: number,
    private readonly bytesPerSecond: number,
  ) {
    super(serverPort);
  }

  static before(serverPort: number, bytesPerSecond: number): Promise<SlowLink> {
    return new SlowLink(serverPort, bytesPerSecond).listen();
  }

  protected override carry(from: Socket, to: Socket): void {
    let carried = Promise.resolve();
    from.on('data', (bytes) => {
      carried = carried.then(async () => {
        for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
          const chunk = bytes.subarray(at, at + CHUNK_BYTES);
          // The delay of a single packet is negligible.
          if (bytes.length > 1_500) await pause((1_000 * chunk.length) / this.bytesPerSecond);
          to.write(chunk);
        }
      });
    });
  }
}
