import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Loaded, LoadOrder } from './load-process.js';

const PROGRAM = fileURLToPath(new URL('load-process.ts', import.meta.url));

/** Callers in a process of their own, so that what they cost is not on the servers' account. */
export class Load {
  readonly #process = fork(PROGRAM, { execArgv: ['--import', 'tsx'] });

  async send(order: LoadOrder): Promise<Loaded> {
    const loaded = await this.warmUp(order);
    if (loaded.failures > 0) {
      throw new Error(
        `${loaded.failures} of ${loaded.requests} answers of ${order.address} were no ${order.status ?? 200}`,
      );
    }
    return loaded;
  }

  /** Whatever the answers are: on a busy machine, a server that just started may not look up 2,000 keys in time. */
  async warmUp(order: LoadOrder): Promise<Loaded> {
    this.#process.send(order);
    const [loaded]: [Loaded] = (await once(this.#process, 'message')) as [Loaded];
    return loaded;
  }

  end(): void {
    this.#process.disconnect();
  }
}
