import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { LeadershipLost } from '../../../domain/errors.js';
import { type MysqlConnection, openMysql } from './open-mysql.js';

const FAREWELL_MS = 500;

/** The one connection that a worker has to a dashboard in a MySQL or MariaDB. */
export class MysqlWorkerConnection {
  readonly database: Knex;
  readonly #opened: MysqlConnection[] = [];
  readonly #broken = new WeakSet<MysqlConnection>();

  /** `isForOneSession`: what is lost is not made anew, since it may lead to another server then. */
  constructor(url: string, name: string, isForOneSession = false) {
    this.database = openMysql(url, {
      name,
      connections: [1, 1],
      connectTimeoutMs: 5_000,
      acquireTimeoutMs: 6_000,
      statementSeconds: 9,
      // The dashboard may lock its tables for longer; then the worker looks again, instead of waiting in line before others.
      lockSeconds: 1,
      onConnection: (opened) => {
        if (isForOneSession && this.#opened.length > 0) throw new LeadershipLost(null);
        this.#opened.push(opened);
        for (const event of ['error', 'end'] as const) opened.on(event, () => this.#broken.add(opened));
      },
    });
  }

  /** Whether it is still the first connection, and open. */
  get isIntact(): boolean {
    const [first, ...later] = this.#opened;
    return first !== undefined && !first.stream.destroyed && !this.#broken.has(first) && later.length === 0;
  }

  /** Also where the other side does not answer any more. */
  async close(): Promise<void> {
    const ended = this.database.destroy().catch(() => {});
    await Promise.race([ended, pause(FAREWELL_MS, undefined, { ref: false })]);
    for (const connection of this.#opened) connection.destroy();
  }
}
