import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { LeadershipLost } from '../../domain/errors.js';
import { openDatabase } from './open-database.js';
import type { SessionSettings } from './session-settings.js';

const STATEMENT_TIMEOUT = '9s';
/** The dashboard may lock its tables for longer; then the worker looks again, instead of waiting in line before others. */
const LOCK_TIMEOUT = '1s';
const FAREWELL_MS = 500;
/**
 * A host that loses power says no farewell, and its server would keep for it what it had: the snapshot of a look, and with that all that
 * vacuum would clear away, until TCP gives up after hours. No step of a living worker is silent for as long.
 */
const LET_GO_SOON = {
  idle_in_transaction_session_timeout: '15s',
  tcp_user_timeout: '15s',
  tcp_keepalives_idle: '10s',
  tcp_keepalives_interval: '5s',
  tcp_keepalives_count: '3',
};

/** The one connection that a worker has to a database: nothing overtakes, and a lock that it holds is its own. */
export class WorkerConnection {
  readonly database: Knex;
  readonly #sockets = new Set<Socket>();
  readonly #broken = new WeakSet<Socket>();

  /** `isForOneSession`: what is lost is not made anew, since it may lead to another server then. */
  constructor(url: string, name: string, isForOneSession = false, settings: SessionSettings = {}) {
    this.database = openDatabase(url, {
      name,
      connections: [1, 1],
      connectTimeoutMs: 5_000,
      acquireTimeoutMs: 6_000,
      settings: {
        statement_timeout: STATEMENT_TIMEOUT,
        lock_timeout: LOCK_TIMEOUT,
        // A row that row-level security hides is an error, and not one that is gone.
        row_security: 'off',
        ...LET_GO_SOON,
        ...settings,
      },
      mayWrite: true,
      onConnection: (opened) => {
        if (isForOneSession && this.#sockets.size > 0) throw new LeadershipLost(null);
        this.#sockets.add(opened.connection.stream);
        // A server that says farewell is gone for the driver before its socket is closed.
        for (const event of ['error', 'end'] as const)
          opened.on(event, () => this.#broken.add(opened.connection.stream));
      },
    });
  }

  /** Whether it is still the first connection, and open. */
  get isIntact(): boolean {
    const [socket, ...later] = this.#sockets;
    return socket !== undefined && !socket.destroyed && !this.#broken.has(socket) && later.length === 0;
  }

  /** Also where the other side does not answer any more. */
  async close(): Promise<void> {
    const ended = this.database.destroy().catch(() => {});
    await Promise.race([ended, pause(FAREWELL_MS, undefined, { ref: false })]);
    for (const socket of this.#sockets) socket.destroy();
  }
}
