import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Loaded, LoadOrder, PacedOrder } from './load-process.js';

const PROGRAM = fileURLToPath(new URL('load-process.ts', import.meta.url));

/** Callers in a separate process, so that their cost does not count as the servers'. */
export class Load {
  readonly #process = fork(PROGRAM, { execArgv: ['--import', 'tsx'] });

  async send(order: LoadOrder): Promise<Loaded> {
    const loaded = await this.warmUp(order);
    requireGood(loaded, order.address, order.status ?? 200);
    return loaded;
  }

  /** Accepts any answers: on a busy machine, a server that just started may not look up 2,000 keys in time. */
  async warmUp(order: LoadOrder): Promise<Loaded> {
    return (await this.#done(order)) as Loaded;
  }

  /** Returns how many requests were sent. */
  async sendAtPace(order: PacedOrder): Promise<number> {
    const loaded = await this.#done(order);
    requireGood(loaded, order.address, 200);
    return loaded.requests;
  }

  end(): void {
    this.#process.disconnect();
  }

  async #done(order: LoadOrder | PacedOrder): Promise<Answered> {
    this.#process.send(order);
    const [answered]: [Answered] = (await once(this.#process, 'message')) as [Answered];
    return answered;
  }
}

type Answered = Pick<Loaded, 'requests' | 'failures'>;

function requireGood({ requests, failures }: Answered, address: string, status: number): void {
  if (failures === 0) return;
  throw new Error(`${failures} of ${requests} answers of ${address} were no ${status}`);
}
