import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Loaded, LoadOrder } from './load-process.js';

const PROGRAM = fileURLToPath(new URL('load-process.ts', import.meta.url));

/** Callers in a process of their own, so that what they cost is not on the servers' account. */
export class Load {
  readonly #process = fork(PROGRAM, { execArgv: ['--import', 'tsx'] });

  async send(order: LoadOrder): Promise<Loaded> {
    this.#process.send(order);
    const [loaded]: [Loaded] = (await once(this.#process, 'message')) as [Loaded];
    if (loaded.failures > 0) {
      throw new Error(`${loaded.failures} of ${loaded.requests} answers of ${order.address} were no 200`);
    }
    return loaded;
  }

  end(): void {
    this.#process.disconnect();
  }
}
