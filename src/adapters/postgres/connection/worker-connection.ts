import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import { LeadershipLost } from '../../../domain/errors.js';
import { openDatabase } from './open-database.js';
import type { SessionSettings } from './session-settings.js';

const STATEMENT_TIMEOUT = '9s';
/** The worker tries again later, so that it blocks nobody in the lock queue. */
const LOCK_TIMEOUT = '1s';
const CLOSE_TIMEOUT_MS = 500;
/**
 * A host that loses power closes no connections, and an open snapshot blocks vacuum. A worker is
 * never silent for that long.
 */
const DEAD_CLIENT_TIMEOUTS = {
  idle_in_transaction_session_timeout: '15s',
  tcp_user_timeout: '15s',
  tcp_keepalives_idle: '10s',
  tcp_keepalives_interval: '5s',
  tcp_keepalives_count: '3',
};

/** A worker's only connection: statements run in order, and locks belong to the worker. */
export class WorkerConnection {
  readonly database: Knex;
  readonly #sockets = new Set<Socket>();
  readonly #broken = new WeakSet<Socket>();

  /** `isForOneSession`: not reopened, because it could lead to another server. */
  constructor(url: string, name: string, isForOneSession = false, settings: SessionSettings = {}) {
    this.database = openDatabase(url, {
      name,
      connections: [1, 1],
      connectTimeoutMs: 5_000,
      acquireTimeoutMs: 6_000,
      settings: {
        statement_timeout: STATEMENT_TIMEOUT,
        lock_timeout: LOCK_TIMEOUT,
        // A row that row-level security hides causes an error instead of looking deleted.
        row_security: 'off',
        ...DEAD_CLIENT_TIMEOUTS,
        ...settings,
      },
      mayWrite: true,
      onConnection: (opened) => {
        if (isForOneSession && this.#sockets.size > 0) throw new LeadershipLost(null);
        this.#sockets.add(opened.connection.stream);
        // For the driver, a server that announces its end is gone before the socket is closed.
        for (const event of ['error', 'end'] as const)
          opened.on(event, () => this.#broken.add(opened.connection.stream));
      },
    });
  }

  /** Whether the first connection is still open. */
  get isIntact(): boolean {
    const [socket, ...later] = this.#sockets;
    return socket !== undefined && !socket.destroyed && !this.#broken.has(socket) && later.length === 0;
  }

  /** Also closes a connection whose server no longer answers. */
  async close(): Promise<void> {
    const ended = this.database.destroy().catch(() => {});
    await Promise.race([ended, pause(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    for (const socket of this.#sockets) socket.destroy();
  }
}
