import type { Socket } from 'node:net';
import { type Direction, LocalProxy } from '../../support/network/local-proxy.js';

/** Forwards everything to and from a server, and replaces one text in its replies by another of the same length. */
export class RetellingProxy extends LocalProxy {
  private constructor(
    serverPort: number,
    private readonly told: string,
    private readonly retold: string,
  ) {
    if (told.length !== retold.length) throw new Error(`"${told}" and "${retold}" differ in length`);
    super(serverPort);
  }

  static before(serverPort: number, told: string, retold: string): Promise<RetellingProxy> {
    return new RetellingProxy(serverPort, told, retold).listen();
  }

  protected override carry(from: Socket, to: Socket, direction: Direction): void {
    from.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      to.write(direction === 'reply' ? text.replaceAll(this.told, this.retold) : text, 'latin1');
    });
  }
}
