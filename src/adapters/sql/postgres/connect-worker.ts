import { WorkerConnection } from '../worker-connection.js';
import { openDatabase } from './open-database.js';
import type { SessionSettings } from './session-settings.js';

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

const SETTINGS: SessionSettings = {
  statement_timeout: '8s',
  // The worker tries again later, so that it blocks nobody in the lock queue.
  lock_timeout: '1s',
  // A row that row-level security hides causes an error instead of looking deleted.
  row_security: 'off',
  ...DEAD_CLIENT_TIMEOUTS,
};

/** `isForOneSession`: not reopened, because it could lead to another server. */
export function connectWorker(
  url: string,
  name: string,
  isForOneSession = false,
  settings: SessionSettings = {},
): WorkerConnection {
  const options = { name, connections: [1, 1], connectTimeoutMs: 5_000, acquireTimeoutMs: 6_000 } as const;
  return new WorkerConnection(
    (onConnection) =>
      openDatabase(url, {
        ...options,
        settings: { ...SETTINGS, ...settings },
        mayWrite: true,
        onConnection: (opened) =>
          onConnection({
            stream: opened.connection.stream,
            on: (event, listener) => opened.on(event, listener),
          }),
      }),
    isForOneSession,
  );
}
