import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SyncedDatabases } from './synced-databases.js';
import type { Boundary } from './watched-ports.js';

const PROGRAM = fileURLToPath(new URL('./doomed-worker-process.ts', import.meta.url));

export interface Order {
  readonly counted: readonly string[];
  /** The how-manyeth of the counted boundaries; null: none. */
  readonly dieAt: number | null;
}

/** A worker in a process of its own. It starts before it is needed, and waits for its order. */
export class DoomedWorker {
  readonly #child: ChildProcess;
  readonly #exited: Promise<NodeJS.Signals | null>;
  readonly #isReady: Promise<unknown>;

  constructor({ writeDatabaseUrl, readDatabaseUrl, dashboardMapping }: SyncedDatabases) {
    const databases = [
      writeDatabaseUrl,
      readDatabaseUrl,
      ...(dashboardMapping === null ? [] : [dashboardMapping]),
    ];
    this.#child = fork(PROGRAM, databases, { execArgv: ['--import', 'tsx'] });
    this.#exited = once(this.#child, 'exit').then(([, signal]) => signal);
    this.#isReady = once(this.#child, 'message');
  }

  /** Works until all is done. Answers how many of these boundaries it passed. */
  async work(counted: readonly Boundary[]): Promise<number> {
    await this.begin(counted);
    const [passed] = await once(this.#child, 'message');
    await this.#exited;
    return passed as number;
  }

  async workUntilDeath(counted: readonly Boundary[], dieAt: number): Promise<void> {
    await this.begin(counted, dieAt);
    const signal = await this.#exited;
    if (signal !== 'SIGKILL')
      throw new Error(`The worker ended by itself before it passed boundary ${dieAt}`);
  }

  /** Does not wait for anything that comes of it. */
  async begin(counted: readonly Boundary[] = [], dieAt: number | null = null): Promise<void> {
    await this.#isReady;
    this.#child.send({ counted, dieAt } satisfies Order);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
