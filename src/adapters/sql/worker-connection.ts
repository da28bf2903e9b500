import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { LeadershipLost } from '../../domain/errors.js';

const CLOSE_TIMEOUT_MS = 500;

/** What both drivers have of a connection. */
export interface OpenedConnection {
  readonly stream: { readonly destroyed: boolean; destroy(): void };
  on(event: 'error' | 'end', listener: () => void): unknown;
}

/** A worker's only connection: statements run in order, and locks belong to the worker. */
export class WorkerConnection {
  readonly database: Knex;
  readonly #opened: OpenedConnection[] = [];
  readonly #broken = new WeakSet<OpenedConnection>();

  /** `isForOneSession`: not reopened, because it could lead to another server. */
  constructor(open: (onConnection: (opened: OpenedConnection) => void) => Knex, isForOneSession: boolean) {
    this.database = open((opened) => {
      if (isForOneSession && this.#opened.length > 0) throw new LeadershipLost(null);
      this.#opened.push(opened);
      // For the driver, a server that announces its end is gone before the socket is closed.
      for (const event of ['error', 'end'] as const) opened.on(event, () => this.#broken.add(opened));
    });
  }

  /** Whether the first connection is still open. */
  get isIntact(): boolean {
    const [first, ...later] = this.#opened;
    return first !== undefined && !first.stream.destroyed && !this.#broken.has(first) && later.length === 0;
  }

  /** Also closes a connection whose server no longer answers. */
  async close(): Promise<void> {
    const ended = this.database.destroy().catch(() => {});
    await Promise.race([ended, pause(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    for (const { stream } of this.#opened) stream.destroy();
  }
}
