import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { LeadershipLost } from '../../../domain/errors.js';
import { type MysqlConnection, openMysql } from './open.js';

const CLOSE_TIMEOUT_MS = 500;

/** The only connection of a worker to a dashboard in MySQL or MariaDB. */
export class MysqlWorkerConnection {
  readonly database: Knex;
  readonly #opened: MysqlConnection[] = [];
  readonly #broken = new WeakSet<MysqlConnection>();

  /** `isForOneSession`: a lost connection is not reopened, because it could lead to another server. */
  constructor(url: string, name: string, isForOneSession = false) {
    this.database = openMysql(url, {
      name,
      connections: [1, 1],
      connectTimeoutMs: 5_000,
      acquireTimeoutMs: 6_000,
      statementSeconds: 9,
      // The dashboard may lock its tables for longer. The worker then tries again later, so that it does not block others in the lock
      // queue.
      lockSeconds: 1,
      onConnection: (opened) => {
        if (isForOneSession && this.#opened.length > 0) throw new LeadershipLost(null);
        this.#opened.push(opened);
        for (const event of ['error', 'end'] as const) opened.on(event, () => this.#broken.add(opened));
      },
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
    for (const connection of this.#opened) connection.destroy();
  }
}
