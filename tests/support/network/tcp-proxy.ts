import type { Socket } from 'node:net';
import { type Direction, LocalProxy } from './local-proxy.js';

/** A connection between a program and a server. A test can count its chunks, delay them and cut it. */
export class TcpProxy extends LocalProxy {
  /** The forwarded chunks, in order, from the call of `record` on. */
  readonly passed: { readonly direction: Direction; readonly bytes: Buffer }[] = [];
  #isRecorded = false;
  #isToWait: (direction: Direction, bytes: Buffer) => boolean = () => false;
  #waiting: { readonly bytes: Buffer; readonly pass: () => void }[] = [];
  #connections = 0;

  static before(serverPort: number): Promise<TcpProxy> {
    return new TcpProxy(serverPort).listen();
  }

  /** The number of accepted connections. */
  get connections(): number {
    return this.#connections;
  }

  /** Sends new connections to another server; open ones stay with the server that they have. */
  moveTo(serverPort: number): void {
    this.serverPort = serverPort;
  }

  /** Holds back each matching chunk and all that follows it on its connection. The connections stay open. */
  hold(isToWait: (direction: Direction, bytes: Buffer) => boolean): void {
    this.#isToWait = isToWait;
  }

  /** Forwards nothing more. */
  freeze(): void {
    this.hold(() => true);
  }

  record(): this {
    this.#isRecorded = true;
    return this;
  }

  holdsBack(text: string): boolean {
    return this.#waiting.some(({ bytes }) => bytes.includes(text));
  }

  release(): void {
    this.#isToWait = () => false;
    for (const { pass } of this.#waiting.splice(0)) pass();
  }

  override async cut(): Promise<void> {
    this.#waiting = [];
    await super.cut();
  }

  async restore(): Promise<void> {
    await this.listen();
  }

  protected override carry(from: Socket, to: Socket, direction: Direction): void {
    if (direction === 'request') this.#connections += 1;
    let queued = 0;
    const pass = (bytes: Buffer, send: () => void) => {
      if (queued === 0 && !this.#isToWait(direction, bytes)) return send();
      queued += 1;
      const sendLate = () => {
        queued -= 1;
        send();
      };
      this.#waiting.push({ bytes, pass: sendLate });
    };
    from.on('data', (bytes) =>
      pass(bytes, () => {
        if (this.#isRecorded) this.passed.push({ direction, bytes });
        to.write(bytes);
      }),
    );
    from.on('end', () => pass(Buffer.of(), () => to.end()));
  }
}
