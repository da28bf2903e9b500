import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

type Direction = 'request' | 'reply';

/**
 * The network between a program and a server on this machine. A test can count its chunks, change, delay and hold them,
 * and cut it. No fault loses bytes in the middle of a connection that continues.
 */
export class TcpProxy {
  /** The forwarded chunks, in order, from the call of `record` on. */
  readonly passed: { readonly direction: Direction; readonly bytes: Buffer }[] = [];
  readonly #listener = createServer((client) => this.#accept(client));
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #connections = 0;
  #isRecorded = false;
  #delayMs = 0;
  #isReset = false;
  #isToWait: (direction: Direction, bytes: Buffer) => boolean = () => false;
  #change = (bytes: Buffer): Buffer => bytes;
  #waiting: { readonly bytes: Buffer; readonly pass: () => void }[] = [];

  private constructor(private serverPort: number) {}

  static async before(serverPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(serverPort);
    await proxy.#listen();
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  /** The number of accepted connections. */
  get connections(): number {
    return this.#connections;
  }

  /** This URL through the proxy. */
  url(direct: string): string {
    return Object.assign(new URL(direct), { hostname: '127.0.0.1', port: String(this.#port) }).href;
  }

  /** Sends new connections to another server; open ones stay with the server that they have. */
  moveTo(serverPort: number): void {
    this.serverPort = serverPort;
  }

  record(): this {
    this.#isRecorded = true;
    return this;
  }

  /** Replaces a text in replies by another of the same length. */
  replaceInReplies(original: string, replacement: string): this {
    if (original.length !== replacement.length)
      throw new Error(`"${original}" and "${replacement}" differ in length`);
    this.#change = (bytes) =>
      Buffer.from(bytes.toString('latin1').replaceAll(original, replacement), 'latin1');
    return this;
  }

  /** Holds back each matching chunk and all that follows it on its connection. The connections stay open. */
  hold(isToWait: (direction: Direction, bytes: Buffer) => boolean): void {
    this.#isToWait = isToWait;
  }

  /** Forwards nothing more. */
  freeze(): void {
    this.hold(() => true);
  }

  holdsBack(text: string): boolean {
    return this.#waiting.some(({ bytes }) => bytes.includes(text));
  }

  release(): void {
    this.#isToWait = () => false;
    for (const { pass } of this.#waiting.splice(0)) pass();
  }

  /** Delays each chunk. */
  delay(milliseconds = 30): void {
    this.#delayMs = milliseconds;
  }

  /** Resets all connections, and each new one. */
  reset(): void {
    this.#isReset = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Breaks connections and refuses new ones. */
  async cut(): Promise<void> {
    this.#waiting = [];
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Ends every fault. */
  async restore(): Promise<void> {
    this.#delayMs = 0;
    this.#isReset = false;
    this.release();
    if (!this.#listener.listening) await this.#listen();
  }

  async stop(): Promise<void> {
    if (this.#listener.listening) await this.cut();
  }

  /** Listens on the same port each time. */
  async #listen(): Promise<void> {
    this.#listener.listen(this.#port, '127.0.0.1');
    await once(this.#listener, 'listening');
    this.#port = (this.#listener.address() as AddressInfo).port;
  }

  #accept(client: Socket): void {
    this.#connections += 1;
    const server = connect(this.serverPort, '127.0.0.1');
    this.#carry(client, server, 'request');
    this.#carry(server, client, 'reply');
    if (this.#isReset) client.resetAndDestroy();
  }

  #carry(from: Socket, to: Socket, direction: Direction): void {
    this.#sockets.add(from);
    from.setNoDelay().on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
    let delivered = Promise.resolve();
    const pass = (bytes: Buffer, send: () => void) => {
      delivered = delivered.then(async () => {
        if (this.#isToWait(direction, bytes))
          await new Promise<void>((pass) => this.#waiting.push({ bytes, pass }));
        if (this.#delayMs > 0) await pause(this.#delayMs);
        send();
      });
    };
    from.on('data', (bytes) =>
      pass(bytes, () => {
        if (this.#isRecorded) this.passed.push({ direction, bytes });
        to.write(direction === 'reply' ? this.#change(bytes) : bytes);
      }),
    );
    from.on('end', () => pass(Buffer.of(), () => to.end()));
  }
}
