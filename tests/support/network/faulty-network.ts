import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Gate } from '../clock/gate.js';
import { type Direction, LocalProxy } from './local-proxy.js';

/** The faults of a network. None of them loses bytes in the middle of a connection that continues. */
export type NetworkFault = 'paused' | 'refused' | 'reset' | 'delayed';

const DELAY_MS = 30;

/** A network between a program and a server. */
export class FaultyNetwork extends LocalProxy {
  #fault: NetworkFault | null = null;
  #gate = new Gate();

  static before(serverPort: number): Promise<FaultyNetwork> {
    return new FaultyNetwork(serverPort).listen();
  }

  async break(fault: NetworkFault): Promise<void> {
    this.#fault = fault;
    this.#gate = new Gate();
    if (fault === 'refused') await this.cut();
    if (fault === 'reset') for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async restore(): Promise<void> {
    const fault = this.#fault;
    this.#fault = null;
    this.#gate.open();
    if (fault === 'refused') await this.listen();
  }

  override async stop(): Promise<void> {
    this.#gate.open();
    await super.stop();
  }

  protected override carry(from: Socket, to: Socket, direction: Direction): void {
    if (this.#fault === 'reset' && direction === 'request') from.resetAndDestroy();
    let delivered = Promise.resolve();
    from.on('data', (bytes) => {
      delivered = delivered.then(async () => {
        if (this.#fault === 'paused') await this.#gate.wait();
        if (this.#fault === 'delayed') await pause(DELAY_MS);
        to.write(bytes);
      });
    });
  }
}
