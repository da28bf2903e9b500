import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SyncedDatabases } from '../../support/sync/synced-databases.js';
import type { Boundary } from '../support/sync/watched-ports.js';

const PROGRAM = fileURLToPath(new URL('./crashing-worker-process.ts', import.meta.url));

export interface Order {
  readonly counted: readonly string[];
  /** Which of the counted boundaries, from 1 on; null: none. */
  readonly dieAt: number | null;
}

/** A worker in a separate process. It starts in advance and waits for its order. */
export class CrashingWorker {
  readonly #child: ChildProcess;
  readonly #exited: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>;
  readonly #isReady: Promise<unknown>;

  constructor({ writeDatabaseUrl, readDatabaseUrl, dashboardMapping }: SyncedDatabases) {
    const databases = [
      writeDatabaseUrl,
      readDatabaseUrl,
      ...(dashboardMapping === null ? [] : [dashboardMapping]),
    ];
    this.#child = fork(PROGRAM, databases, { execArgv: ['--import', 'tsx'] });
    this.#exited = once(this.#child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    this.#isReady = once(this.#child, 'message');
  }

  /** Returns false if the worker finished its work and ended before it passed this many of the boundaries. */
  async diesAt(dieAt: number, counted: readonly Boundary[]): Promise<boolean> {
    await this.begin(counted, dieAt);
    const [code, signal] = await this.#exited;
    if (signal === null && code !== 0) throw new Error(`The worker failed and ended with ${code}`);
    return signal === 'SIGKILL';
  }

  /** Starts the work and does not wait for its result. */
  async begin(counted: readonly Boundary[] = [], dieAt: number | null = null): Promise<void> {
    await this.#isReady;
    this.#child.send({ counted, dieAt } satisfies Order);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}
