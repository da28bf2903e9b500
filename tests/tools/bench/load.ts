import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Loaded, LoadOrder } from './load-process.js';

const PROGRAM = fileURLToPath(new URL('load-process.ts', import.meta.url));

/** Callers in a separate process, so that their cost does not count as the servers'. */
export class Load {
  readonly #process = fork(PROGRAM, { execArgv: ['--import', 'tsx'] });

  async send(order: LoadOrder): Promise<Loaded> {
    const loaded = await this.warmUp(order);
    const { requests, failures } = loaded;
    if (failures > 0) throw new Error(`${failures} of ${requests} answers of ${order.address} were no 200`);
    return loaded;
  }

  /** Accepts any answers: on a busy machine, a server that just started may not look up 2,000 keys in time. */
  async warmUp(order: LoadOrder): Promise<Loaded> {
    this.#process.send(order);
    const [loaded] = (await once(this.#process, 'message')) as [Loaded];
    return loaded;
  }

  end(): void {
    this.#process.disconnect();
  }
}
