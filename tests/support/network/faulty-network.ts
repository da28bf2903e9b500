import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { Gate } from '../clock/gate.js';

/** The faults of a network. None of them loses bytes in the middle of a connection that continues. */
export type NetworkFault = 'paused' | 'refused' | 'reset' | 'half-open' | 'delayed' | 'byte by byte';

const DELAY_MS = 30;

/** A network between a program and a server. */
export class FaultyNetwork {
  readonly #listener = createServer((socket) => this.#accept(socket));
  readonly #connections = new Set<{ readonly client: Socket; readonly server: Socket }>();
  #fault: NetworkFault | null = null;
  #gate = new Gate();
  #port = 0;

  private constructor(private readonly serverPort: number) {}

  static async before(serverPort: number): Promise<FaultyNetwork> {
    const network = new FaultyNetwork(serverPort);
    await network.#listen();
    return network;
  }

  url(direct: string): string {
    const url = new URL(direct);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.href;
  }

  async break(fault: NetworkFault): Promise<void> {
    this.#fault = fault;
    this.#gate = new Gate();
    if (fault === 'refused') {
      const closed = once(this.#listener, 'close');
      this.#listener.close();
      this.#resetAll();
      await closed;
    }
    if (fault === 'reset') this.#resetAll();
    // The server closes the connection and the client is not notified.
    if (fault === 'half-open') for (const { server } of this.#connections) server.destroy();
  }

  async restore(): Promise<void> {
    const fault = this.#fault;
    this.#fault = null;
    this.#gate.open();
    if (fault === 'refused') await this.#listen();
    // A client that sends to a server that was gone in the meantime receives a reset.
    if (fault === 'half-open') this.#resetAll();
  }

  async stop(): Promise<void> {
    await this.restore();
    this.#listener.close();
    this.#resetAll();
  }

  async #listen(): Promise<void> {
    this.#listener.listen(this.#port, '127.0.0.1');
    await once(this.#listener, 'listening');
    this.#port = (this.#listener.address() as AddressInfo).port;
  }

  #resetAll(): void {
    for (const { client, server } of this.#connections) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  #accept(client: Socket): void {
    client.on('error', () => {});
    if (this.#fault === 'reset') {
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.serverPort, '127.0.0.1').on('error', () => {});
    const connection = { client, server };
    this.#connections.add(connection);
    client.setNoDelay().on('close', () => {
      this.#connections.delete(connection);
      server.destroy();
    });
    server.setNoDelay().on('close', () => {
      if (this.#fault !== 'half-open') client.destroy();
    });
    this.#carry(client, server);
    this.#carry(server, client);
    if (this.#fault === 'half-open') server.destroy();
  }

  #carry(from: Socket, to: Socket): void {
    let delivered = Promise.resolve();
    from.on('data', (bytes) => {
      delivered = delivered.then(() => this.#deliver(bytes, to));
    });
    from.on('end', () => {
      delivered = delivered.then(() => this.#deliver(Buffer.of(), to)).then(() => void to.end());
    });
  }

  async #deliver(bytes: Buffer, to: Socket): Promise<void> {
    if (this.#fault === 'paused') await this.#gate.wait();
    if (this.#fault === 'delayed') await pause(DELAY_MS);
    if (this.#fault !== 'byte by byte') return void to.write(bytes);
    for (const byte of bytes) {
      to.write(Uint8Array.of(byte));
      await turn();
    }
  }
}
