import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

type Direction = 'request' | 'reply';

/** A connection between a program and a server that a test can count on, hold up, and cut. */
export class TcpProxy {
  /** What passed, chunk by chunk, in order. */
  readonly passed: { readonly direction: Direction; readonly bytes: Buffer }[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #isToWait: (direction: Direction, bytes: Buffer) => boolean = () => false;
  #waiting: { readonly bytes: Buffer; readonly pass: () => void }[] = [];
  #port = 0;
  #connections = 0;

  private constructor(private serverPort: number) {
    this.#server = createServer((socket) => this.#accept(socket));
  }

  static async before(serverPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(serverPort);
    await proxy.#listen();
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  /** This URL by way of the proxy. */
  url(direct: string): string {
    const url = new URL(direct);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Accepted so far. */
  get connections(): number {
    return this.#connections;
  }

  /** From now on, new connections go there; those that are open stay with the server that they have. */
  moveTo(serverPort: number): void {
    this.serverPort = serverPort;
  }

  /** Such a chunk stays where it is, and all that follows it on its connection; the connections themselves stay. */
  hold(isToWait: (direction: Direction, bytes: Buffer) => boolean): void {
    this.#isToWait = isToWait;
  }

  /** Nothing passes any more. */
  freeze(): void {
    this.hold(() => true);
  }

  /** What has passed so far. */
  forget(): void {
    this.passed.length = 0;
  }

  holdsBack(text: string): boolean {
    return this.#waiting.some(({ bytes }) => bytes.includes(text));
  }

  letGo(): void {
    this.#isToWait = () => false;
    for (const { pass } of this.#waiting.splice(0)) pass();
  }

  /** Connections break, and new ones are refused. */
  async cut(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#waiting = [];
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  mend(): Promise<void> {
    return this.#listen();
  }

  async stop(): Promise<void> {
    if (this.#server.listening) await this.cut();
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  #accept(client: Socket): void {
    this.#connections += 1;
    const server = connect(this.serverPort, '127.0.0.1');
    this.#join(client, server, 'request');
    this.#join(server, client, 'reply');
  }

  #join(from: Socket, to: Socket, direction: Direction): void {
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
    this.#sockets.add(from);
    from.setNoDelay();
    from.on('data', (bytes) =>
      pass(bytes, () => {
        this.passed.push({ direction, bytes });
        to.write(bytes);
      }),
    );
    from.on('end', () => pass(Buffer.of(), () => to.end()));
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
