import type { Socket } from 'node:net';
import { type Direction, LocalProxy } from '../../support/network/local-proxy.js';

/** Forwards everything to and from a server, and replaces one text in its replies by another of the same length. */
export class RewritingProxy extends LocalProxy {
  private constructor(
    serverPort: number,
    private readonly original: string,
    private readonly replacement: string,
  ) {
    if (original.length !== replacement.length)
      throw new Error(`"${original}" and "${replacement}" differ in length`);
    super(serverPort);
  }

  static before(serverPort: number, original: string, replacement: string): Promise<RewritingProxy> {
    return new RewritingProxy(serverPort, original, replacement).listen();
  }

  protected override carry(from: Socket, to: Socket, direction: Direction): void {
    from.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      to.write(direction === 'reply' ? text.replaceAll(this.original, this.replacement) : text, 'latin1');
    });
  }
}
