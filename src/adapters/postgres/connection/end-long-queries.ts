import { connect } from 'node:net';
import type pg from 'pg';
import { disposeConnection } from './dispose-connection.js';

const CANCEL_REQUEST_CODE = 80_877_102;
const CANCEL_TIMEOUT_MS = 1_000;

/** Fields of the driver's connection that its types do not declare. */
interface Connected {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

/**
 * As `statement_timeout`, which does not last behind a pooler. For one query at a time, as Knex
 * sends them. The request names the session and may arrive late, so the session is not used again.
 */
export function endLongQueries(client: pg.Client, afterMs: number): void {
  let timer: NodeJS.Timeout | null = null;
  const end = () => {
    disposeConnection(client, 'Its query was canceled');
    requestCancel(client as unknown as Connected);
  };
  const send: (...args: unknown[]) => unknown = client.query.bind(client);
  const limited = (...args: unknown[]) => {
    timer ??= setTimeout(end, afterMs);
    timer.unref();
    return send(...args);
  };
  client.query = limited as typeof client.query;
  const stop = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  client.on('drain', stop);
  client.on('end', stop);
}

/** The caller learns of it when the query ends. */
function requestCancel({ host, port, processID, secretKey }: Connected): void {
  const request = Buffer.alloc(16);
  request.writeInt32BE(request.length, 0);
  request.writeInt32BE(CANCEL_REQUEST_CODE, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  // If the server is unreachable, the query's own connection fails.
  socket.on('error', () => socket.destroy());
  socket.setTimeout(CANCEL_TIMEOUT_MS, () => socket.destroy());
  socket.unref();
  // A pooler drops a cancel request whose client disconnects too soon.
  socket.write(request);
}
