import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

/** Sends one request after the other. Node's client would take more processor time than the API. */
export class LoadConnection {
  #received: Buffer = Buffer.alloc(0);
  #answered: ((status: number) => void) | null = null;
  #failed: ((error: Error) => void) | null = null;

  private constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('error', (error) => this.#failed?.(error));
    socket.on('close', () => this.#failed?.(new Error('The server closed the connection')));
  }

  static async open(address: string): Promise<LoadConnection> {
    const { hostname, port, host } = new URL(address);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new LoadConnection(socket, host);
  }

  /** Resolves with the status of the answer once it is here as a whole. */
  get(path: string, header: string, key: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.socket.write(`GET ${path} HTTP/1.1\r\nHost: ${this.host}\r\n${header}: ${key}\r\n\r\n`);
    });
  }

  end(): void {
    this.#failed = null;
    this.socket.destroy();
  }

  /** Every answer names its length. */
  #receive(bytes: Buffer): void {
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    const headEnd = this.#received.indexOf(END_OF_HEAD);
    if (headEnd === -1) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    if (this.#received.length < headEnd + END_OF_HEAD.length + length) return;
    this.#received = Buffer.alloc(0);
    this.#answered?.(Number(head.slice(9, 12)));
  }
}
